// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import java.util.SplittableRandom;

/**
 * BBR version 1 (draft-cardwell-iccrg-bbr-congestion-control-00): paces at the greatest delivery
 * rate lately seen and keeps twice what that rate and the least round trip make. Here packets leave
 * one by one, so the draft's send_quantum is one segment.
 */
public final class BbrV1 implements CongestionControl {
  /** BtlBwFilterLen, round trips. */
  private static final int FILTER_ROUNDS = 10;

  /** RTpropFilterLen. */
  private static final long RTT_FILTER_NANOS = 10_000_000_000L;

  /** ProbeRTTDuration, BBRMinPipeCwnd. */
  private static final long PROBE_RTT_NANOS = 200_000_000L;

  private static final int LEAST_SEGMENTS = 4;

  /** BBRHighGain: 2 / ln 2. */
  private static final double HIGH_GAIN = 2.8853900817779268;

  private static final double WINDOW_GAIN = 2;
  private static final double[] CYCLE = {1.25, 0.75, 1, 1, 1, 1, 1, 1};

  /** BBRCheckFullPipe: still growing if by this factor; full after so many rounds without. */
  private static final double STILL_GROWING = 1.25;

  private static final int ROUNDS_TO_FULL = 3;
  private static final int QUANTA = 3;
  private static final long RTT_UNKNOWN = Long.MAX_VALUE;
  private static final long NANOS_PER_MILLISECOND = 1_000_000L;
  private static final double BITS_NANOS = 8e9;

  private enum State {
    STARTUP,
    DRAIN,
    PROBE_BANDWIDTH,
    PROBE_RTT
  }

  private final SplittableRandom random;
  private final RateFilter bottleneck = new RateFilter(FILTER_ROUNDS);
  private State state;
  private int mssBytes;
  private double initialWindowBytes;
  private double windowBytes;
  private double priorWindowBytes;
  private double pacingBitsPerSecond;
  private double pacingGain;
  private double windowGain;

  private long rounds;
  private long roundEndBytes;
  private boolean roundStart;

  private long leastRttNanos;
  private long leastRttAtNanos;
  private boolean leastRttExpired;

  private double fullBitsPerSecond;
  private int fullRounds;
  private boolean filled;

  private int phase;
  private long phaseNanos;
  private long probeUntilNanos;
  private boolean probeRoundDone;
  private boolean conserving;
  private boolean timedOut;
  private long lostBytes;
  private long deliveredBytes;

  BbrV1(SplittableRandom random) {
    this.random = random;
  }

  @Override
  public void open(int mss, double initialWindow, long rttNanos, long nowNanos) {
    mssBytes = mss;
    initialWindowBytes = initialWindow;
    windowBytes = initialWindow;
    priorWindowBytes = 0;
    bottleneck.reset();
    rounds = 0;
    roundEndBytes = 0;
    leastRttNanos = rttNanos > 0 ? rttNanos : RTT_UNKNOWN;
    leastRttAtNanos = nowNanos;
    fullBitsPerSecond = 0;
    fullRounds = 0;
    filled = false;
    conserving = false;
    timedOut = false;
    lostBytes = 0;
    deliveredBytes = 0;
    long rtt = rttNanos > 0 ? rttNanos : NANOS_PER_MILLISECOND;
    pacingBitsPerSecond = HIGH_GAIN * initialWindow * BITS_NANOS / rtt;
    enterStartup();
  }

  @Override
  public double windowBytes() {
    return windowBytes;
  }

  @Override
  public double slowStartThresholdBytes() {
    return Double.POSITIVE_INFINITY;
  }

  @Override
  public double pacingBitsPerSecond() {
    return pacingBitsPerSecond;
  }

  @Override
  public boolean wantsDeliveryRate() {
    return true;
  }

  /** BtlBw, payload bit/s. */
  public double bottleneckBitsPerSecond() {
    return bottleneck.greatest();
  }

  /** RTprop, ns. */
  public long leastRttNanos() {
    return leastRttNanos;
  }

  /** The model first, then what follows from it (BBRUpdateOnACK). */
  @Override
  public void acknowledged(Acknowledgement ack) {
    long newlyLost = ack.lostBytes() - lostBytes;
    lostBytes = ack.lostBytes();
    deliveredBytes = ack.deliveredBytes();
    updateBottleneck(ack);
    checkCycle(ack, newlyLost);
    checkFull(ack);
    checkDrain(ack);
    updateLeastRtt(ack);
    checkProbeRtt(ack);
    setPacing();
    setWindow(ack, newlyLost);
  }

  private void updateBottleneck(Acknowledgement ack) {
    roundStart = false;
    if (ack.deliveryBitsPerSecond() <= 0) {
      return;
    }
    if (ack.priorDeliveredBytes() >= roundEndBytes) {
      roundEndBytes = ack.deliveredBytes();
      rounds++;
      roundStart = true;
      conserving = false;
    }
    if (ack.deliveryBitsPerSecond() >= bottleneck.greatest() || !ack.applicationLimited()) {
      bottleneck.add(rounds, ack.deliveryBitsPerSecond());
    }
  }

  private void checkCycle(Acknowledgement ack, long newlyLost) {
    if (state != State.PROBE_BANDWIDTH) {
      return;
    }
    boolean elapsed = ack.nowNanos() - phaseNanos > leastRttNanos;
    boolean advance = elapsed;
    if (pacingGain > 1) {
      advance = elapsed && (newlyLost > 0 || ack.priorFlightBytes() >= inflight(pacingGain));
    } else if (pacingGain < 1) {
      advance = elapsed || ack.priorFlightBytes() <= inflight(1);
    }
    if (advance) {
      beginPhase((phase + 1) % CYCLE.length, ack.nowNanos());
    }
  }

  private void beginPhase(int next, long nowNanos) {
    phase = next;
    phaseNanos = nowNanos;
    pacingGain = CYCLE[next];
  }

  private void checkFull(Acknowledgement ack) {
    if (filled || !roundStart || ack.applicationLimited()) {
      return;
    }
    if (bottleneck.greatest() >= fullBitsPerSecond * STILL_GROWING) {
      fullBitsPerSecond = bottleneck.greatest();
      fullRounds = 0;
      return;
    }
    filled = ++fullRounds >= ROUNDS_TO_FULL;
  }

  private void checkDrain(Acknowledgement ack) {
    if (state == State.STARTUP && filled) {
      state = State.DRAIN;
      pacingGain = 1 / HIGH_GAIN;
      windowGain = HIGH_GAIN;
    }
    if (state == State.DRAIN && ack.flightBytes() <= inflight(1)) {
      enterProbeBandwidth(ack.nowNanos());
    }
  }

  private void enterStartup() {
    state = State.STARTUP;
    pacingGain = HIGH_GAIN;
    windowGain = HIGH_GAIN;
  }

  /** A random phase, but not the one that drains (BBREnterProbeBW). */
  private void enterProbeBandwidth(long nowNanos) {
    state = State.PROBE_BANDWIDTH;
    windowGain = WINDOW_GAIN;
    int drawn = random.nextInt(CYCLE.length - 1);
    beginPhase(drawn == 0 ? 0 : drawn + 1, nowNanos);
  }

  private void updateLeastRtt(Acknowledgement ack) {
    leastRttExpired = ack.nowNanos() > leastRttAtNanos + RTT_FILTER_NANOS;
    long rtt = ack.rttNanos();
    if (rtt != Acknowledgement.NO_SAMPLE && (rtt <= leastRttNanos || leastRttExpired)) {
      leastRttNanos = rtt;
      leastRttAtNanos = ack.nowNanos();
    }
  }

  /** BBRCheckProbeRTT. */
  private void checkProbeRtt(Acknowledgement ack) {
    if (state != State.PROBE_RTT && leastRttExpired) {
      saveWindow(ack);
      state = State.PROBE_RTT;
      pacingGain = 1;
      windowGain = 1;
      probeUntilNanos = 0;
    }
    if (state != State.PROBE_RTT) {
      return;
    }
    if (probeUntilNanos == 0) {
      if (ack.flightBytes() <= (long) LEAST_SEGMENTS * mssBytes) {
        probeUntilNanos = ack.nowNanos() + PROBE_RTT_NANOS;
        probeRoundDone = false;
        roundEndBytes = ack.deliveredBytes();
      }
      return;
    }
    probeRoundDone |= roundStart;
    if (probeRoundDone && ack.nowNanos() > probeUntilNanos) {
      leastRttAtNanos = ack.nowNanos();
      windowBytes = Math.max(windowBytes, priorWindowBytes);
      if (filled) {
        enterProbeBandwidth(ack.nowNanos());
      } else {
        enterStartup();
      }
    }
  }

  private void setPacing() {
    double rate = pacingGain * bottleneck.greatest();
    if (rate > 0 && (filled || rate > pacingBitsPerSecond)) {
      pacingBitsPerSecond = rate;
    }
  }

  /** BBRSetCwnd. */
  private void setWindow(Acknowledgement ack, long newlyLost) {
    double least = (double) LEAST_SEGMENTS * mssBytes;
    if (ack.inRecovery()) {
      windowBytes = Math.max(windowBytes - newlyLost, mssBytes);
      if (conserving) {
        windowBytes = Math.max(windowBytes, ack.flightBytes() + ack.newlyDeliveredBytes());
      }
    }
    if (!conserving) {
      double target = inflight(windowGain);
      if (filled) {
        windowBytes = Math.min(windowBytes + ack.newlyDeliveredBytes(), target);
      } else if (windowBytes < target || ack.deliveredBytes() < initialWindowBytes) {
        windowBytes += ack.newlyDeliveredBytes();
      }
      windowBytes = Math.max(windowBytes, least);
    }
    if (state == State.PROBE_RTT) {
      windowBytes = Math.min(windowBytes, least);
    }
  }

  private double inflight(double gain) {
    if (leastRttNanos == RTT_UNKNOWN || bottleneck.greatest() == 0) {
      return gain * initialWindowBytes;
    }
    return gain * bottleneck.greatest() * leastRttNanos / BITS_NANOS + QUANTA * mssBytes;
  }

  private void saveWindow(Acknowledgement ack) {
    boolean reduced = ack.inRecovery() || timedOut || state == State.PROBE_RTT;
    priorWindowBytes = reduced ? Math.max(priorWindowBytes, windowBytes) : windowBytes;
  }

  /** One round of sending what arrives (BBRModulateCwndForRecovery). */
  @Override
  public void lossDetected(double flightBytes, long nowNanos) {
    priorWindowBytes =
        state == State.PROBE_RTT ? Math.max(priorWindowBytes, windowBytes) : windowBytes;
    conserving = true;
    roundEndBytes = deliveredBytes;
    // The acknowledgement that reports the loss raises it to what is in flight.
    windowBytes = mssBytes;
  }

  @Override
  public void recovered(long nowNanos) {
    conserving = false;
    timedOut = false;
    windowBytes = Math.max(windowBytes, priorWindowBytes);
  }

  @Override
  public void timedOut(double flightBytes, boolean again, long nowNanos) {
    if (!again) {
      priorWindowBytes = Math.max(priorWindowBytes, windowBytes);
    }
    timedOut = true;
    conserving = false;
    windowBytes = mssBytes;
  }

  /** Version 1 does not heed marks. */
  @Override
  public void echoed(double flightBytes, long nowNanos) {
    // Nothing.
  }

  @Override
  public void idled(long nowNanos) {
    if (state == State.PROBE_BANDWIDTH && bottleneck.greatest() > 0) {
      pacingBitsPerSecond = bottleneck.greatest();
    }
  }
}

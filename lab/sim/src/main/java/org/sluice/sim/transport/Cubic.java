// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

/**
 * CUBIC (RFC 9438): after a reduction the window is a cubic function of time around the window at
 * which the last congestion was met, but never less than Reno's. In segments.
 */
public final class Cubic extends WindowControl {
  /** Section 5, C: segments per cubic second. */
  static final double C = 0.4;

  /** Section 4.6, beta_cubic. */
  static final double BETA = 0.7;

  /** Section 4.3, alpha_cubic: Reno's mean rate with this decrease. */
  private static final double RENO_ALPHA = 3 * (1 - BETA) / (1 + BETA);

  /** Section 4.2: the target is at most so much of the window. */
  private static final double GREATEST_STEP = 1.5;

  private static final double NANOS_PER_SECOND = 1e9;
  private static final long NEVER = -1;

  private double mostSegments;
  private double priorSegments;
  private double inflectionSeconds;
  private double renoSegments;
  private long epochNanos;
  private long pausedNanos;

  Cubic(TcpParameters parameters) {
    super(parameters);
  }

  @Override
  public void open(int mss, double initialWindow, long rttNanos, long nowNanos) {
    super.open(mss, initialWindow, rttNanos, nowNanos);
    mostSegments = 0;
    priorSegments = 0;
    epochNanos = NEVER;
    pausedNanos = NEVER;
  }

  /** W_max: the window, in segments, that the curve levels out at. */
  public double mostSegments() {
    return mostSegments;
  }

  /** K: how long after the reduction it does, s. */
  public double inflectionSeconds() {
    return inflectionSeconds;
  }

  @Override
  public void acknowledged(Acknowledgement acknowledgement) {
    if (!acknowledgement.mayGrow() && pausedNanos == NEVER) {
      pausedNanos = acknowledgement.nowNanos();
    }
    super.acknowledged(acknowledgement);
  }

  @Override
  void avoidCongestion(Acknowledgement acknowledgement) {
    long now = acknowledgement.nowNanos();
    if (epochNanos == NEVER) {
      beginEpoch(now);
    } else if (pausedNanos != NEVER) {
      // Section 5.8: time in which the application was the limit does not count.
      epochNanos += now - pausedNanos;
    }
    pausedNanos = NEVER;
    double window = windowBytes() / mssBytes();
    double acknowledged = (double) acknowledgement.acknowledgedBytes() / mssBytes();
    double reno = renoSegments >= priorSegments ? 1 : RENO_ALPHA;
    renoSegments += reno * acknowledged / window;
    double elapsed = (now - epochNanos) / NANOS_PER_SECOND;
    if (curve(elapsed) < renoSegments) {
      setWindowBytes(Math.max(window, renoSegments) * mssBytes());
      return;
    }
    double target = curve(elapsed + acknowledgement.smoothedRttNanos() / NANOS_PER_SECOND);
    target = Math.min(GREATEST_STEP * window, Math.max(window, target));
    setWindowBytes((window + (target - window) / window * acknowledged) * mssBytes());
  }

  /** Section 4.2, the beginning of a congestion avoidance stage. */
  private void beginEpoch(long nowNanos) {
    epochNanos = nowNanos;
    double window = windowBytes() / mssBytes();
    renoSegments = window;
    if (mostSegments <= window) {
      mostSegments = window;
      inflectionSeconds = 0;
    } else {
      inflectionSeconds = StrictMath.cbrt((mostSegments - window) / C);
    }
  }

  /** Equation 1. */
  private double curve(double seconds) {
    double fromInflection = seconds - inflectionSeconds;
    return C * fromInflection * fromInflection * fromInflection + mostSegments;
  }

  /** Sections 4.6 and 4.7. */
  @Override
  public void lossDetected(double flightBytes, long nowNanos) {
    decrease(flightBytes);
  }

  @Override
  public void echoed(double flightBytes, long nowNanos) {
    decrease(flightBytes);
  }

  private void decrease(double flightBytes) {
    priorSegments = windowBytes() / mssBytes();
    // Section 4.7, fast convergence: one who meets congestion earlier than last time makes space.
    mostSegments = priorSegments < mostSegments ? priorSegments * (1 + BETA) / 2 : priorSegments;
    epochNanos = NEVER;
    reduceTo(flightBytes * BETA);
  }

  /** Section 4.8: the next stage begins at its own window with K = 0. */
  @Override
  public void timedOut(double flightBytes, boolean again, long nowNanos) {
    priorSegments = windowBytes() / mssBytes();
    mostSegments = 0;
    epochNanos = NEVER;
    super.timedOut(flightBytes, again, nowNanos);
  }

  @Override
  double timeoutFactor() {
    return BETA;
  }
}

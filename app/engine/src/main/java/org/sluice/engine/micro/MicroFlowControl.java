// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.micro;

import java.util.Arrays;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.engine.collections.IntList;
import org.sluice.engine.collections.Slots;
import org.sluice.engine.law.FeederLaw;
import org.sluice.engine.law.MicroFlowLaw;
import org.sluice.engine.law.MicroFlowParameters;
import org.sluice.engine.law.MicroFlowParameters.Caps;

/**
 * Micro-flow's controller (section III): the queue monitor, the background flow selection and the
 * data rate control of a fabric, several downstream ports at once.
 *
 * <p>Whoever drives it knows the topology. It adds downstream ports and their feeders, the upstream
 * ports' background queues for them; it evaluates a port's micro queue when {@link #nextProbeNanos}
 * says so, and hands in what it saw, of feeders first. Decisions go to a {@link CapSink}. One
 * thread; time is an argument, never goes back, ns. Nothing is allocated but for new ports and
 * flows.
 */
public final class MicroFlowControl {
  /** Of a flow that counts by itself, whoever sends it. */
  public static final int NOBODYS = -1;

  /** Idle flows are searched for so many times in the time after which one counts as idle. */
  private static final int IDLE_CHECKS = 4;

  private static final double BITS_PER_BYTE = 8;
  private static final double NANOS_PER_SECOND = 1e9;

  private final MicroFlowParameters parameters;
  private final CapSink sink;
  private final RateCaps caps;
  private final BackgroundFlows flows;
  private final Levels levels;
  private long nextIdleCheckNanos;

  private final Slots ports = new Slots();
  private PortId[] names = new PortId[16];
  private long[] bandwidthBitsPerSecond = new long[16];
  private int[] capacityPackets = new int[16];
  private int[] thresholdPackets = new int[16];
  private long[] nextProbeNanos = new long[16];
  private long[] seenNanos = new long[16];
  private long[] seenMicroBytes = new long[16];
  private IntList[] feeders = new IntList[16];

  public MicroFlowControl(MicroFlowParameters parameters, CapSink sink) {
    this.parameters = parameters;
    this.sink = sink;
    this.caps = new RateCaps(sink);
    this.flows = new BackgroundFlows(parameters);
    this.levels = new Levels(parameters, sink);
  }

  /**
   * Adds a downstream port s_j-eth_n, whose micro queue is to be evaluated.
   *
   * @param bandwidth BW, bit/s, above 0
   * @param bufferPackets what its micro queue has space for, at least 1
   * @param switchPorts p, how many ports its switch has, at least 1
   * @return its number
   */
  public int addPort(PortId port, long bandwidth, int bufferPackets, int switchPorts) {
    int added = ports.take();
    if (added == names.length) {
      names = Arrays.copyOf(names, 2 * added);
      bandwidthBitsPerSecond = Arrays.copyOf(bandwidthBitsPerSecond, 2 * added);
      capacityPackets = Arrays.copyOf(capacityPackets, 2 * added);
      thresholdPackets = Arrays.copyOf(thresholdPackets, 2 * added);
      nextProbeNanos = Arrays.copyOf(nextProbeNanos, 2 * added);
      seenNanos = Arrays.copyOf(seenNanos, 2 * added);
      seenMicroBytes = Arrays.copyOf(seenMicroBytes, 2 * added);
      feeders = Arrays.copyOf(feeders, 2 * added);
    }
    names[added] = port;
    bandwidthBitsPerSecond[added] = bandwidth;
    capacityPackets[added] = capacity(bandwidth, bufferPackets);
    thresholdPackets[added] = MicroFlowLaw.thresholdPackets(capacityPackets[added], switchPorts);
    nextProbeNanos[added] = 0;
    seenNanos[added] = 0;
    seenMicroBytes[added] = 0;
    feeders[added] = new IntList();
    return added;
  }

  /** Forgets a downstream port and its feeders, whose caps end. Their numbers go to others. */
  public void removePort(int port) {
    IntList gone = feeders[port];
    for (int i = 0; i < gone.size(); i++) {
      caps.remove(gone.get(i));
      flows.removeFeeder(gone.get(i));
    }
    feeders[port] = null;
    names[port] = null;
    ports.giveBack(port);
  }

  /**
   * Adds a feeder s_i-eth_x of a downstream port: an upstream port's background queue for it.
   *
   * @param port the downstream port's number
   * @param bandwidth of the upstream port, bit/s, above 0
   * @param bufferPackets what the background queue has space for, at least 1
   * @return its number
   */
  public int addFeeder(int port, PortId upstream, long bandwidth, int bufferPackets) {
    int feeder = caps.add(upstream, names[port], capacity(bandwidth, bufferPackets));
    feeders[port].add(feeder);
    return feeder;
  }

  private int capacity(long bandwidth, int bufferPackets) {
    return MicroFlowLaw.capacityPackets(
        bandwidth, parameters.roundTripNanos(), parameters.packetBytes(), bufferPackets);
  }

  /**
   * A flow has been seen to send (Find_BGT).
   *
   * @param bytes all that it has sent, IP bytes
   * @param path numbers of the feeders that it passes; kept, not to be changed
   */
  public void observeFlow(FlowKey flow, long bytes, int[] path, long nowNanos) {
    observeFlow(flow, bytes, NOBODYS, path, nowNanos);
  }

  /**
   * The same, of somebody's flow: what is left of a port is shared among senders, so that nobody
   * has more of it for more flows.
   *
   * @param owner at least 0
   */
  public void observeFlow(FlowKey flow, long bytes, int owner, int[] path, long nowNanos) {
    if (bytes > levels.backgroundBytes() && flows.observe(flow, owner, path, nowNanos)) {
      sink.background(flow);
    }
  }

  /**
   * A flow's connection has ended.
   *
   * @param bytes all that it has sent, IP bytes
   */
  public void ended(FlowKey flow, long bytes) {
    levels.ended(bytes, 1);
    forget(flow);
  }

  /**
   * So many flows of about one size have ended, background flows or not; {@link #forget} says which
   * of those.
   *
   * @param bytes that each has sent, IP bytes
   */
  public void ended(long bytes, long count) {
    levels.ended(bytes, count);
  }

  /** A background flow's connection has ended; its size counts elsewhere. */
  public void forget(FlowKey flow) {
    if (flows.remove(flow)) {
      sink.forgotten(flow);
    }
  }

  /**
   * What guarantees leave a feeder at least, whatever the law says ({@link
   * org.sluice.engine.law.CapFloor}); none at first.
   *
   * @param bitsPerSecond of the endpoints whose background flows pass it, at least 0
   */
  public void setFloor(int feeder, long bitsPerSecond) {
    caps.setFloor(feeder, bitsPerSecond);
  }

  /** Ends all caps. */
  public void restoreAll() {
    caps.restoreAll();
  }

  /** How long a feeder's background queue is, packets; to be called before its port is observed. */
  public void observeFeeder(int feeder, int packets) {
    caps.observe(feeder, packets);
  }

  /**
   * How long a port's micro queue is, packets (Queue_Monitor): from TH on its feeders are capped,
   * as far as background flows pass them.
   *
   * @param microBytes all that the micro queue has sent so far, IP bytes
   */
  public void observePort(int port, int packets, long microBytes, long nowNanos) {
    int threshold = thresholdPackets[port];
    double microBitsPerSecond = microBitsPerSecond(port, microBytes, nowNanos);
    nextProbeNanos[port] =
        nowNanos
            + MicroFlowLaw.intervalNanos(
                packets,
                threshold,
                parameters.roundTripNanos(),
                parameters.shortestIntervalNanos(),
                parameters.longestIntervalNanos());
    if (MicroFlowLaw.isCongested(packets, threshold)) {
      double alpha = MicroFlowLaw.alpha(packets, threshold, capacityPackets[port]);
      CapDraft draft = caps.draft();
      draft.queuePackets = packets;
      draft.thresholdPackets = threshold;
      draft.alpha = alpha;
      update(port, alpha, microBitsPerSecond, nowNanos);
    }
  }

  /** Since the last evaluation. */
  private double microBitsPerSecond(int port, long microBytes, long nowNanos) {
    long bytes = Math.max(0, microBytes - seenMicroBytes[port]);
    long nanos = nowNanos - seenNanos[port];
    seenMicroBytes[port] = microBytes;
    seenNanos[port] = nowNanos;
    return nanos > 0 ? bytes * BITS_PER_BYTE / (nanos / NANOS_PER_SECOND) : 0;
  }

  /** Datarate_Update. */
  private void update(int port, double alpha, double microBitsPerSecond, long nowNanos) {
    if (parameters.caps() == Caps.NONE) {
      return;
    }
    IntList all = feeders[port];
    int allSenders = 0;
    for (int i = 0; i < all.size(); i++) {
      allSenders += flows.senders(all.get(i));
    }
    for (int i = 0; i < all.size(); i++) {
      int feeder = all.get(i);
      int passing = flows.passing(feeder);
      double beta = MicroFlowLaw.beta(caps.queuePackets(feeder), caps.capacityPackets(feeder));
      long bandwidth = bandwidthBitsPerSecond[port];
      caps.draft().beta = beta;
      caps.draft().flows = passing;
      if (passing > 0 && parameters.caps() == Caps.SLUICE) {
        long rate =
            FeederLaw.capBitsPerSecond(
                bandwidth, microBitsPerSecond, flows.senders(feeder), allSenders, alpha, beta);
        caps.cap(feeder, rate, bandwidth, nowNanos + parameters.timeoutNanos());
      } else if (passing > 0
          && MicroFlowLaw.mayCap(caps.queuePackets(feeder), thresholdPackets[port])) {
        long rate = MicroFlowLaw.capBitsPerSecond(bandwidth, alpha, beta);
        caps.cap(feeder, rate, bandwidth, nowNanos + parameters.timeoutNanos());
      }
    }
  }

  /**
   * Restores what has been capped for the timeout, tunes levels, and forgets idle flows. To be
   * called at least every shortest interval.
   */
  public void tick(long nowNanos) {
    caps.expire(nowNanos);
    levels.tick(nowNanos);
    if (nowNanos < nextIdleCheckNanos) {
      return;
    }
    nextIdleCheckNanos = nowNanos + parameters.idleNanos() / IDLE_CHECKS;
    flows.removeIdle(nowNanos, sink);
  }

  /** When a port's micro queue is to be evaluated next, ns; 0 before the first time. */
  public long nextProbeNanos(int port) {
    return nextProbeNanos[port];
  }

  /** TH of a port, packets. */
  public int thresholdPackets(int port) {
    return thresholdPackets[port];
  }

  /** qc of a port's micro queue, packets. */
  public int capacityPackets(int port) {
    return capacityPackets[port];
  }

  /** Whether a feeder has a cap now. */
  public boolean isCapped(int feeder) {
    return caps.isCapped(feeder);
  }

  /** Background flows that are remembered. */
  public int backgroundFlows() {
    return flows.size();
  }

  /** How often a flow found the table of background flows full. */
  public long refusedFlows() {
    return flows.refused();
  }
}

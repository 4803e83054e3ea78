// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import org.sluice.api.link.WindowGrant;

/**
 * Sluice's window allocation, the default, after SED's ({@link SedLaw}).
 *
 * <pre>
 * T_win = K + C_avail RTT_base + slack      equation 3 with the least round trips ({@link SedPort})
 * W_i   = (s_i / d_i) (RTT_base + K/C)      equation 4 with the queue that T_win makes
 * </pre>
 *
 * <ol>
 *   <li>Every flow without a deadline has a base window of two segments ({@link #BASE_SEGMENTS}).
 *   <li>Flows with a deadline get W_i each and at least two segments, earliest deadline first,
 *       while T_win lasts.
 *   <li>A flow with at least {@link #YIELDS} times as much time left as an earlier one waits until
 *       the earlier has what lets it be through in {@link #HASTE} of its time.
 *   <li>What is left goes to them again, earliest deadline first, up to what they can use.
 *   <li>The rest is divided evenly among those without.
 * </ol>
 *
 * <p>The paper gives a flow with a deadline only s/d and all spare to the others, and so misses
 * sets that can be met: 0.5 Gbit due in 1 s beside 1.2 Gbit due in 2 s need 0.5 + 0.6 Gbit/s of a
 * link of 1 Gbit/s in the first second. Its equation 4 takes the base round trip, at which a window
 * is worth only RTT/(RTT + K/C) of s/d once the queue stands at K.
 */
final class EdfWindows extends WindowAllocation {
  /**
   * Segments. Not one as in the paper: a virtual machine's delayed acknowledgements cannot be
   * turned off, and one would be a packet per 40 ms.
   */
  static final int BASE_SEGMENTS = 2;

  /**
   * Of the time that is left to a flow so much is counted on, in windows and in what its source is
   * let through. A transport fills neither to the brim, and a window of a few segments is worth
   * less than reckoned wherever a busy host delays packets. Both need it: the lower one holds.
   */
  static final double HASTE = 0.5;

  /**
   * Flows that are due together get no more of each other's: what they need may be all there is.
   */
  static final int YIELDS = 2;

  /** To be through a little before the deadline, in round trips. */
  private static final int MARGIN_ROUND_TRIPS = 2;

  EdfWindows(DeadlineParameters parameters) {
    super(parameters);
  }

  @Override
  void serve(FlowsByPriority flows, long nowNanos) {
    int hastened = 0;
    for (int i = 0; i < flows.firstWithoutDeadline(); i++) {
      SedFlow flow = flows.walk(i);
      if (enter(flow, nowNanos)) {
        for (SedPort port : flow.path()) {
          port.offerMostUrgent(flow);
        }
        for (; hastened < i && yields(flow, flows.get(hastened), nowNanos); hastened++) {
          hasten(flows.get(hastened), nowNanos);
        }
        grantNeeded(flow, nowNanos);
      }
    }
  }

  private void grantNeeded(SedFlow flow, long nowNanos) {
    // Whatever is expected: a flow that has not arrived whole may have been slower than that.
    long least = leastGrowthBytes(flow);
    if (room(flow) >= least) {
      grantAsFarAsPossible(flow, Math.max(needed(flow, flow.deadlineNanos() - nowNanos), least));
    }
  }

  /**
   * With a single segment each waits for its acknowledgement, which receivers hold back, and Linux
   * makes two packets of it.
   */
  @Override
  long leastGrowthBytes(SedFlow flow) {
    return flow.hasDeadline()
        ? Math.min(parameters.wholeSegmentsUp(flow.remainingBytes()), parameters.baseBytes())
        : 0;
  }

  @Override
  void widen(SedFlow flow) {
    // With a single segment the last ones would wait for acknowledgements that are held back.
    double least = Math.min(flow.remainingBytes(), parameters.baseBytes());
    grantAsFarAsPossible(flow, Math.max(flow.usefulBytes, least) - flow.allocatedBytes);
  }

  /** Else the most urgent one would stand still until others' windows have come down. */
  @Override
  long leastBytes(SedFlow flow) {
    for (SedPort port : flow.path()) {
      if (port.isCongested() && !port.isMostUrgent(flow)) {
        return 0;
      }
    }
    return parameters.baseBytes();
  }

  /** Whether a flow has so much more time than an earlier one that it can wait for its haste. */
  private static boolean yields(SedFlow later, SedFlow earlier, long nowNanos) {
    return later.deadlineNanos() - nowNanos >= YIELDS * (earlier.deadlineNanos() - nowNanos);
  }

  private void hasten(SedFlow flow, long nowNanos) {
    if (flow.governed) {
      double hasty = needed(flow, flow.hasteNanos(nowNanos));
      grantAsFarAsPossible(flow, Math.max(0, hasty - flow.allocatedBytes));
    }
  }

  /** The window with which a flow is through in so long, bytes. */
  private double needed(SedFlow flow, double nanos) {
    double roundTrip = flow.fullRoundTripNanos;
    double left = nanos - parameters.latencyNanos() - MARGIN_ROUND_TRIPS * roundTrip;
    return left > roundTrip
        ? SedLaw.windowBytes(flow.usefulBytes, left, roundTrip)
        : flow.usefulBytes;
  }

  /**
   * As much as fills the narrowest port of the path. What a sender was once allowed cannot be taken
   * back; with a receiver's own window of megabytes no grant would be felt until those are through.
   */
  @Override
  public long uncongestedBytes(SedFlow flow) {
    double narrowest = Double.MAX_VALUE;
    for (SedPort port : flow.path()) {
      if (port.isGoverned()) {
        narrowest = Math.min(narrowest, port.fillingBytes(flow.baseRoundTripNanos()));
      }
    }
    return narrowest == Double.MAX_VALUE
        ? WindowGrant.RELEASED
        : Math.max(parameters.firstWindowBytes(), parameters.wholeSegmentsUp(narrowest));
  }

  /**
   * All that have not begun get K + C RTT_base together. Their hosts have it before the SYN, and so
   * no first window has to wait for a grant; with a machine too busy to send that in time, those of
   * all that were announced would come at once. Where there is less than two segments for each, the
   * most urgent begin with two, and the others wait for their turn with a closed window: ten of
   * each, after a SYN-ACK has waited in vain, would be ten times as much.
   */
  @Override
  public long firstBytes(SedFlow flow) {
    double share = parameters.firstWindowBytes();
    double left = Double.MAX_VALUE;
    boolean governed = false;
    for (SedPort port : flow.path()) {
      if (port.isGoverned()) {
        governed = true;
        share = Math.min(share, port.firstShareBytes());
        left = Math.min(left, port.firstLeftBytes());
      }
    }
    if (!governed) {
      return WindowGrant.RELEASED;
    }
    long whole = parameters.wholeSegmentsUp(flow.remainingBytes());
    long window =
        Math.min(whole, Math.max(parameters.baseBytes(), parameters.wholeSegmentsDown(share)));
    if (window > left) {
      return 0;
    }
    for (SedPort port : flow.path()) {
      port.takeFirst(window);
    }
    return window;
  }

  /** It has to wait for its turn. */
  @Override
  public long firstBytesWhileCongested() {
    return 0;
  }

  @Override
  public boolean usesLatestRoundTrips() {
    return false;
  }

  @Override
  public boolean hasSlack() {
    return true;
  }

  @Override
  boolean fitsBuffers() {
    return true;
  }

  /** Until its host has it and what was sent before has been acknowledged. */
  @Override
  double loweringNanos(SedFlow flow) {
    return parameters.latencyNanos() / 2.0 + expectedRoundTripNanos(flow);
  }

  /** On busy hosts it is longer than what queues add to the least one. */
  @Override
  double expectedRoundTripNanos(SedFlow flow) {
    return Math.max(flow.fullRoundTripNanos, flow.roundTripNanos());
  }
}

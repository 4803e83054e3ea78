// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import org.sluice.api.link.WindowGrant;

/**
 * SED's window allocation as printed: Algorithm 2 of Lu, "SED: An SDN-Based Explicit-Deadline-Aware
 * TCP for Cloud Data Center Networks" (Tsinghua Science and Technology 2016), rounded up to whole
 * segments.
 *
 * <pre>
 * T_win = K + C_avail RTT                   equation 3 ({@link SedPort})
 * W_i   = (s_i / d_i) RTT_i                 equation 4: s what is left, d the time that is left
 * </pre>
 *
 * <ul>
 *   <li>Lines 2 to 4, what is late is dropped: {@link DeadlineParameters.Expired#DROP}.
 *   <li>Lines 6 to 8, a flow without a deadline has base_win = 1 MSS ({@link #BASE_SEGMENTS}).
 *   <li>Lines 10 to 12, a flow with one gets W_i, earliest deadline first, as long as T_win lasts.
 *   <li>Lines 13 to 23, one that does not fit gets a window of zero.
 *   <li>Lines 26 to 28, what is left is divided evenly among those without a deadline ({@link
 *       WindowAllocation}).
 * </ul>
 *
 * <p>RTT is the measured one, which includes the queue. Without congestion no flow has a window
 * (Algorithm 1, lines 6 to 10).
 */
final class SedWindows extends WindowAllocation {
  /** base_win, segments. */
  static final int BASE_SEGMENTS = 1;

  SedWindows(DeadlineParameters parameters) {
    super(parameters);
  }

  @Override
  void serve(FlowsByPriority flows, long nowNanos) {
    for (int i = 0; i < flows.firstWithoutDeadline(); i++) {
      SedFlow flow = flows.walk(i);
      if (enter(flow, nowNanos)) {
        double left = Math.max(1, flow.deadlineNanos() - nowNanos);
        long needed =
            parameters.wholeSegmentsUp(flow.remainingBytes() / left * flow.roundTripNanos());
        if (needed <= room(flow)) {
          grant(flow, needed);
        }
      }
    }
  }

  @Override
  long leastGrowthBytes(SedFlow flow) {
    return 0;
  }

  /** All spare goes to those without a deadline. */
  @Override
  void widen(SedFlow flow) {}

  @Override
  long leastBytes(SedFlow flow) {
    return 0;
  }

  @Override
  public long uncongestedBytes(SedFlow flow) {
    return WindowGrant.RELEASED;
  }

  @Override
  public long firstBytes(SedFlow flow) {
    return WindowGrant.RELEASED;
  }

  @Override
  public long firstBytesWhileCongested() {
    return parameters.segmentBytes();
  }

  @Override
  public boolean usesLatestRoundTrips() {
    return true;
  }

  @Override
  public boolean hasSlack() {
    return false;
  }

  @Override
  boolean fitsBuffers() {
    return false;
  }

  /** The paper's switch is where the queue is. */
  @Override
  double loweringNanos(SedFlow flow) {
    return 0;
  }

  @Override
  double expectedRoundTripNanos(SedFlow flow) {
    return flow.fullRoundTripNanos;
  }
}

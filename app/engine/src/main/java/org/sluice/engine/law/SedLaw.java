// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/**
 * SED as printed: Lu, "SED: An SDN-Based Explicit-Deadline-Aware TCP for Cloud Data Center
 * Networks" (Tsinghua Science and Technology 2016), in the order of its section 3.
 *
 * <p>Algorithm 1 is {@code Deadlines}': it has this law divide the windows when a port's congestion
 * begins, and again when a flow comes or goes while it lasts; when it ends all windows are
 * released. The GIF table (section 3.5) is {@code GifTable}. What is missing in the paper is
 * elsewhere:
 *
 * <ul>
 *   <li>several congested ports on a path, whole segments, windows that have yet to come down:
 *       {@link WindowAllocation};
 *   <li>when a port's congestion ends, and what may begin at once: {@link SedPort}; what its T_win
 *       has beside equation 3: {@link WindowSlack}; what has to fit into its buffer: {@link
 *       BufferPlaces}; what can be promised: {@link CarriedPart};
 *   <li>Sluice's own division, the default, and who waits in it: {@link EdfWindows}.
 * </ul>
 */
final class SedLaw extends WindowAllocation {
  /** base_win (section 3.6), segments. */
  static final int BASE_SEGMENTS = 1;

  SedLaw(DeadlineParameters parameters) {
    super(parameters);
  }

  // ---------------------------------------------------------------- section 3.3

  /**
   * Figure 3: state CNG, K <= Q(t) <= Q_max. What would exceed Q_max is dropped.
   *
   * @param queueBytes Q(t)
   * @param thresholdBytes K
   */
  static boolean isCongested(long queueBytes, long thresholdBytes) {
    return queueBytes >= thresholdBytes;
  }

  // ---------------------------------------------------------------- section 3.6

  /**
   * Equation 3: T_win = K + C RTT_avg, the sum of the windows (equation 2) with which the queue
   * stands at K (equation 1).
   *
   * @return bytes
   */
  static double totalWindowBytes(
      long thresholdBytes, double bytesPerSecond, double roundTripNanos) {
    return thresholdBytes + bytesPerSecond * roundTripNanos / 1e9;
  }

  /**
   * Equation 4: alloc_window = (s / d) RTT_avg, with which a flow is through at its deadline.
   *
   * @param sizeBytes s, what is left of the flow
   * @param nanos d, the time that is left to it, above 0
   * @return bytes
   */
  static double windowBytes(double sizeBytes, double nanos, double roundTripNanos) {
    return sizeBytes / nanos * roundTripNanos;
  }

  /** The paper's RTT is the measured one, of which the queue is a part. */
  @Override
  public boolean usesLatestRoundTrips() {
    return true;
  }

  /**
   * Algorithm 2, lines 1 to 25, for all flows in EDF order. Lines 2 to 4, what is late is dropped,
   * are {@link DeadlineParameters.Expired#DROP}. Lines 6 to 8: of T_win the base windows of flows
   * without a deadline are taken off at first ({@link SedPort#openBudget}).
   */
  @Override
  void serve(FlowsByPriority flows, long nowNanos) {
    for (int i = 0; i < flows.firstWithoutDeadline(); i++) {
      SedFlow flow = flows.walk(i);
      if (enter(flow, nowNanos)) { // With a window of zero, as lines 16 and 22 have it.
        double left = Math.max(1, flow.deadlineNanos() - nowNanos);
        long required = // Line 11.
            parameters.wholeSegmentsUp(
                windowBytes(flow.remainingBytes(), left, flow.roundTripNanos()));
        if (required <= room(flow)) { // Lines 13 to 19.
          grant(flow, required);
        }
      }
    }
  }

  /**
   * Algorithm 2, lines 26 to 28: what each of the flows without a deadline gets of what is left.
   *
   * @param leftBytes T_win - total_alloc; may be below 0
   * @return bytes
   */
  static double fairShareBytes(double leftBytes, int flows) {
    return leftBytes / flows;
  }
}

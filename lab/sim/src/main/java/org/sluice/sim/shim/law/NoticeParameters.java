// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/**
 * What Sluice's law does with notices; the agent's {@code NoticeParameters}.
 *
 * @param queueNanos K = clamp(C queueNanos, leastPackets, mostPackets): the queue that rates may
 *     fill or drain before a notice comes
 * @param leastPackets above 0
 * @param mostPackets above 0
 * @param roundTripNanos what adds to the notices' period until a changed rate shows in marks
 * @param periodNanos T_i before the first notice; 0: notices change nothing
 * @param holdPeriods for how many T_i the last notice's F stays valid when no other comes
 * @param silentNanos after so long without a share the absence of notices is no sign of a free port
 */
public record NoticeParameters(
    long queueNanos,
    double leastPackets,
    double mostPackets,
    long roundTripNanos,
    long periodNanos,
    double holdPeriods,
    long silentNanos) {

  /** The agent's. */
  public static final NoticeParameters DEFAULTS =
      new NoticeParameters(2_000_000, 4, 20, 500_000, 5_000_000, 1.5, 300_000_000);

  /** Notices change nothing. */
  public static final NoticeParameters NONE = new NoticeParameters(0, 0, 0, 0, 0, 0, 0);
}

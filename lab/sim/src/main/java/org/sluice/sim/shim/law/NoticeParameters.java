// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/**
 * What notices do to Sluice's law where receivers report no marks; the agent's {@code
 * NoticeParameters} says why each has its value.
 *
 * @param periodNanos T_i before the first notice; 0: notices change nothing
 * @param holdPeriods for how many T_i the last notice's F stays valid when no other comes
 */
public record NoticeParameters(long periodNanos, double holdPeriods) {

  /** The agent's. */
  public static final NoticeParameters DEFAULTS = new NoticeParameters(5_000_000, 1.5);

  /** Notices change nothing. */
  public static final NoticeParameters NONE = new NoticeParameters(0, 0);
}

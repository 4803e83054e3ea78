// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/**
 * What promised flows that send must be let through beyond their sources' unit shares: what is left
 * of each over the time that is left to it, earliest deadline first, as far as the ports on its
 * path have it. Ours: SED has no shares that deadlines could collide with.
 */
public final class PromisedRates {
  /** So much of a port may go to promised flows: the rest is for those without a promise. */
  public static final double PORT_PART = 0.9;

  /**
   * Rates are to be computed again after so long, ns. They aim at so long before the deadline: what
   * is known of a flow is as old, and what aims at the deadline itself comes now before, now after
   * it.
   */
  public static final long PERIOD_NANOS = 4_000_000L;

  private static final int MARGIN_ROUND_TRIPS = 2;

  private PromisedRates() {}

  /**
   * The least steady rate that keeps a flow's promise from now on, bytes/s. What is reserved is
   * kept from others whether it is used or not, and what was seen of the flow is a report old: a
   * rate for a part of its time, or for less by the latency of reports, is a multiple of what a
   * short flow takes, and takes the port from everybody else.
   */
  public static double neededBytesPerSecond(SedFlow flow, long nowNanos) {
    double roundTrip = flow.baseRoundTripNanos();
    double margin = PERIOD_NANOS + MARGIN_ROUND_TRIPS * roundTrip;
    double left = flow.deadlineNanos() - nowNanos - margin;
    return flow.remainingBytes() * 1e9 / Math.max(roundTrip, left);
  }
}

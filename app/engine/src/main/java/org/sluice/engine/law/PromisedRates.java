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

  private static final int MARGIN_ROUND_TRIPS = 2;

  private PromisedRates() {}

  /**
   * What a flow needs, as if it had {@link EdfWindows#HASTE} of its time, bytes/s.
   *
   * @param latencyNanos of reports and grants
   */
  public static double neededBytesPerSecond(SedFlow flow, long latencyNanos, long nowNanos) {
    double margin = latencyNanos + MARGIN_ROUND_TRIPS * flow.baseRoundTripNanos();
    double left = flow.hasteNanos(nowNanos) - margin;
    return flow.remainingBytes() * 1e9 / Math.max(flow.baseRoundTripNanos(), left);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/**
 * What somebody demands at a port. Who waits for its limit, as its host says, demands all that it
 * may have, and so does who has waited within {@link #PATIENCE_NANOS}; anybody else demands what it
 * sends. A rate alone does not show which of the two: one that has just lost packets gets little,
 * and one that wants nine tenths of its share gets nearly all.
 */
public final class Demand {
  /**
   * For so long who has waited is taken to want more, ns. What it does not send meanwhile is lent
   * to others; it finds its share free when it comes back.
   */
  public static final long PATIENCE_NANOS = 100_000_000L;

  /** All that it may have. */
  public static final double GREEDY = Double.POSITIVE_INFINITY;

  private Demand() {}
}

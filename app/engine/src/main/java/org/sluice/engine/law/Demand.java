// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/**
 * What somebody demands at a port. Who waits for its limit, as its host says, demands all that it
 * may have, and so does who has waited within {@link #PATIENCE_NANOS}; anybody else demands what it
 * sends. Packets wait in their endpoint's queue, whose they are, so a pair with few of them demands
 * little more than it gets. A rate alone does not show which of the two: one that has just lost
 * packets gets little, and one that wants nine tenths of its share gets nearly all.
 */
public final class Demand {
  /**
   * For so long who has waited is taken to want more, ns. What it does not send meanwhile is lent
   * to others; it finds its share free when it comes back.
   */
  public static final long PATIENCE_NANOS = 100_000_000L;

  /** All that it may have. */
  public static final double GREEDY = Double.POSITIVE_INFINITY;

  /**
   * Who gets a smaller part of what its endpoint's pairs get waits behind these, as
   * acknowledgements do: in their queue, for their sake.
   */
  private static final double LIGHT_PART = 0.05;

  private static final double OF_LIGHT = 2;

  private Demand() {}

  /**
   * What a pair demands, bit/s.
   *
   * @param isGreedy whether its packets wait, or have waited lately
   * @param bitsPerSecond what it gets
   * @param ofEndpointBitsPerSecond what all pairs of its endpoint get
   */
  public static double of(boolean isGreedy, long bitsPerSecond, long ofEndpointBitsPerSecond) {
    if (!isGreedy) {
      return bitsPerSecond;
    }
    boolean isLight = bitsPerSecond > 0 && bitsPerSecond < LIGHT_PART * ofEndpointBitsPerSecond;
    return isLight ? OF_LIGHT * bitsPerSecond : GREEDY;
  }
}

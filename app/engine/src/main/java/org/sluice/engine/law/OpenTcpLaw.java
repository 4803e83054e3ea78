// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/**
 * OpenTCP (Ghobadi, Hassas Yeganeh, Ganjali: "Rethinking End-to-End Congestion Control in
 * Software-Defined Networks", as taught in CSC 2229, handout 8): every cycle T an oracle collects
 * data, evaluates the operator's policies, and sends hosts what parameters their TCP is to use.
 *
 * <pre>
 *   OpenTCP1: util &lt; 70 %                   initial window 20, RTO 2 ms; else defaults
 *   OpenTCP2: util &lt; 70 % and drop &lt; 0.1 %   the same
 * </pre>
 *
 * <p>As printed one threshold both begins and ends, so that a load about it changes hints every
 * cycle. Here a policy has two, and a least number of cycles for either state; above them stand the
 * constraints of its set, which end hints in the cycle in which they are reached. With equal
 * thresholds and one cycle this is the print.
 */
public final class OpenTcpLaw {
  /** What counters give where they cannot be taken for a difference. */
  public static final long RESET = -1;

  /** Capacities over that a counter may have advanced by: clocks of switches are not exact. */
  private static final double MOST_CAPACITIES = 1.5;

  private static final double BITS_PER_BYTE = 8;
  private static final double NANOS_PER_SECOND = 1e9;

  /** Shortest Ethernet frame, bytes: how many packets may have passed. */
  private static final int LEAST_PACKET_BYTES = 64;

  /** Bytes that a burst may put beside what the capacity allows: the reading is not atomic. */
  private static final long BURST_BYTES = 1 << 20;

  private static final long TWO_TO_32 = 1L << 32;

  private OpenTcpLaw() {}

  /**
   * The most that a port's byte counter can have advanced.
   *
   * @param capacityBitsPerSecond above 0
   * @param nanos between two readings, above 0
   */
  public static long mostBytes(long capacityBitsPerSecond, long nanos) {
    double bytes = capacityBitsPerSecond / BITS_PER_BYTE * (nanos / NANOS_PER_SECOND);
    return (long) (MOST_CAPACITIES * bytes) + BURST_BYTES;
  }

  /** The most packets that so many bytes are. */
  public static long mostPackets(long mostBytes) {
    return mostBytes / LEAST_PACKET_BYTES + 1;
  }

  /**
   * By how much a counter has advanced that may have wrapped, at 2^32 or at 2^64.
   *
   * @param most that it can have
   * @return 0 to {@code most}; {@link #RESET} if it has started anew, or its source has changed
   */
  public static long advance(long before, long now, long most) {
    long difference = now - before;
    if (difference < 0 && now >= 0 && before >= 0 && before < TWO_TO_32) {
      difference += TWO_TO_32;
    }
    return difference < 0 || difference > most ? RESET : difference;
  }

  /**
   * Bits sent over what could have been sent.
   *
   * @param nanos above 0
   * @param capacityBitsPerSecond above 0
   */
  public static double utilisation(long bytes, long nanos, long capacityBitsPerSecond) {
    return bytes * BITS_PER_BYTE / (capacityBitsPerSecond * (nanos / NANOS_PER_SECOND));
  }

  /** Packets dropped over all that came; 0 where none came. */
  public static double dropRate(long dropped, long sent) {
    long all = dropped + sent;
    return all == 0 ? 0 : (double) dropped / all;
  }

  /** Whether both lie below their limits; not known (NaN) is not below, but where none is set. */
  public static boolean isBelow(
      double utilisation, double dropRate, double utilisationLimit, double dropRateLimit) {
    return isBelow(utilisation, utilisationLimit) && isBelow(dropRate, dropRateLimit);
  }

  private static boolean isBelow(double value, double limit) {
    return limit == Double.POSITIVE_INFINITY || value < limit;
  }

  /**
   * Whether hints are given after a cycle.
   *
   * @param active whether they were
   * @param cycles for how many cycles; where not: in how many in a row, this one included, there
   *     was no reason against beginning
   * @param stays whether what ends the policy's hints has not been reached
   * @param guarded whether the set's constraints hold
   * @param leastCycles at least 1
   */
  public static boolean next(
      boolean active, int cycles, boolean stays, boolean guarded, int leastCycles) {
    if (!guarded) {
      return false;
    }
    return active ? stays || cycles < leastCycles : cycles >= leastCycles;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

/**
 * Sluice's default: after the base windows every flow gets, in EDF order, what it needs to be in
 * time, W_i = (s_i / d_i) (RTT_base + K/C); then, again in EDF order, what it can use beyond that;
 * the rest goes to those without a deadline.
 *
 * <p>The paper gives a flow with a deadline only s/d and all spare to the others, and so misses
 * sets that can be met: 0.5 Gbit due in 1 s beside 1.2 Gbit due in 2 s need 0.5 + 0.6 Gbit/s of a
 * link of 1 Gbit/s in the first second. Its equation 4 takes the base round trip, at which a window
 * is worth only RTT/(RTT + K/C) of s/d once the queue stands at K.
 */
final class EdfWindows extends WindowAllocation {
  /** To be through a little before the deadline, in round trips. */
  private static final int MARGIN_ROUND_TRIPS = 2;

  EdfWindows(DeadlineParameters parameters) {
    super(parameters);
  }

  @Override
  void divide(GifTable gif, long nowNanos) {
    int withDeadline = gif.firstWithoutDeadline();
    for (int i = 0; i < withDeadline; i++) {
      GifRow row = gif.get(i);
      if (row.governed) {
        double roundTrip = row.fullRoundTripNanos;
        double left =
            row.deadlineNanos
                - nowNanos
                - parameters.latencyNanos()
                - MARGIN_ROUND_TRIPS * roundTrip;
        double needed = left > roundTrip ? row.usefulBytes / left * roundTrip : row.usefulBytes;
        // Whatever is expected: a flow that has not arrived whole may have been slower than that.
        grantAsFarAsPossible(row, Math.max(needed, 1));
      }
    }
    for (int i = 0; i < withDeadline; i++) {
      GifRow row = gif.get(i);
      if (row.governed) {
        grantAsFarAsPossible(row, Math.max(0, row.usefulBytes - row.allocatedBytes));
      }
    }
    divideRest(gif);
  }
}

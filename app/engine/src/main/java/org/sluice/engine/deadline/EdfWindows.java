// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

/**
 * Sluice's default: after the base windows every flow gets, in EDF order, what it needs to be in
 * time, W_i = (s_i / d_i) (RTT_base + K/C), and before those who have much more time what lets it
 * be through sooner; then, again in EDF order, what it can use beyond that; the rest goes to those
 * without a deadline.
 *
 * <p>The paper gives a flow with a deadline only s/d and all spare to the others, and so misses
 * sets that can be met: 0.5 Gbit due in 1 s beside 1.2 Gbit due in 2 s need 0.5 + 0.6 Gbit/s of a
 * link of 1 Gbit/s in the first second. Its equation 4 takes the base round trip, at which a window
 * is worth only RTT/(RTT + K/C) of s/d once the queue stands at K.
 */
final class EdfWindows extends WindowAllocation {
  /**
   * A flow with so many times as much time left as an earlier one waits until that has what lets it
   * be through in {@link DeadlineParameters#HASTE} of its time. Flows that are due together get no
   * more of each other's: what they need may be all there is.
   */
  private static final int YIELDS = 2;

  /** To be through a little before the deadline, in round trips. */
  private static final int MARGIN_ROUND_TRIPS = 2;

  EdfWindows(DeadlineParameters parameters) {
    super(parameters);
  }

  @Override
  void serve(GifTable gif, long nowNanos) {
    int hastened = 0;
    for (int i = 0; i < gif.firstWithoutDeadline(); i++) {
      GifRow row = gif.walk(i);
      if (enter(row, nowNanos)) {
        for (; hastened < i && yields(row, gif.get(hastened), nowNanos); hastened++) {
          hasten(gif.get(hastened), nowNanos);
        }
        grantNeeded(row, nowNanos);
      }
    }
  }

  private void grantNeeded(GifRow row, long nowNanos) {
    // Whatever is expected: a flow that has not arrived whole may have been slower than that.
    grantAsFarAsPossible(row, Math.max(needed(row, row.deadlineNanos - nowNanos), 1));
  }

  @Override
  void widen(GifRow row) {
    // With a single segment the last ones would wait for acknowledgements that are held back.
    double least = Math.min(row.remainingBytes(), parameters.baseBytes());
    grantAsFarAsPossible(row, Math.max(row.usefulBytes, least) - row.allocatedBytes);
  }

  /** Else it would stand still until the next look, the most urgent one as well. */
  @Override
  long leastBytes() {
    return parameters.segmentBytes();
  }

  /** Whether a flow has so much more time than an earlier one that it can wait for its haste. */
  private static boolean yields(GifRow later, GifRow earlier, long nowNanos) {
    return later.deadlineNanos - nowNanos >= YIELDS * (earlier.deadlineNanos - nowNanos);
  }

  private void hasten(GifRow row, long nowNanos) {
    if (row.governed) {
      double hasty = needed(row, row.hasteNanos(nowNanos));
      grantAsFarAsPossible(row, Math.max(0, hasty - row.allocatedBytes));
    }
  }

  /** The window with which a flow is through in so long, bytes. */
  private double needed(GifRow row, double nanos) {
    double roundTrip = row.fullRoundTripNanos;
    double left = nanos - parameters.latencyNanos() - MARGIN_ROUND_TRIPS * roundTrip;
    return left > roundTrip ? row.usefulBytes / left * roundTrip : row.usefulBytes;
  }
}

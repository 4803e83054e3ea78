// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

/**
 * Algorithm 2 as printed, rounded up to whole segments: (s/d) RTT by equation 4 for every flow with
 * a deadline as long as T_win lasts and zero after that, what is left to those without. RTT is the
 * measured one, which includes the queue.
 */
final class PaperWindows extends WindowAllocation {

  PaperWindows(DeadlineParameters parameters) {
    super(parameters);
  }

  @Override
  long leastBytes() {
    return 0;
  }

  @Override
  void serve(GifTable gif, long nowNanos) {
    for (int i = 0; i < gif.firstWithoutDeadline(); i++) {
      GifRow row = gif.walk(i);
      if (enter(row, nowNanos)) {
        double left = Math.max(1, row.deadlineNanos - nowNanos);
        long needed = parameters.wholeSegmentsUp(row.remainingBytes() / left * row.roundTripNanos);
        if (needed <= room(row)) {
          grant(row, needed);
        }
      }
    }
  }

  /** All spare goes to those without a deadline. */
  @Override
  void widen(GifRow row) {}
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import java.util.function.LongSupplier;

/** A counter that only grows, read at every time of a timeline. */
public final class CounterSeries {
  private final Timeline timeline;
  private final long[] counts;
  private LongSupplier counter;

  CounterSeries(LongSupplier counter, Timeline timeline) {
    this.counter = counter;
    this.timeline = timeline;
    this.counts = new long[timeline.bins() + 1];
  }

  void read(int reading) {
    counts[reading] = counter.getAsLong();
  }

  /** Lets go of the counter, and with it of the network; what was read remains. */
  void end() {
    counter = null;
  }

  /** By how much it grew in a second of the window, in the mean. */
  public Metric perSecond(Window window) {
    return () -> {
      int from = timeline.reading(window.fromNanos());
      int to = timeline.reading(window.toNanos());
      double seconds = (to - from) * (timeline.binNanos() / 1e9);
      return (counts[to] - counts[from]) / seconds;
    };
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

/**
 * The times at which counters are read: 0, one bin, two bins ... to the end.
 *
 * @param binNanos above 0
 * @param durationNanos a whole number of bins
 */
public record Timeline(long binNanos, long durationNanos) {
  public int bins() {
    return (int) (durationNanos / binNanos);
  }

  /** Which reading is of a time; the time must be a whole number of bins. */
  public int reading(long nanos) {
    return (int) (nanos / binNanos);
  }

  public double seconds(int reading) {
    return reading * (binNanos / 1e9);
  }
}

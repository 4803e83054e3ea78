// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

/** The finished transfers of a group. */
public interface Completions {
  int count();

  /** How long those of some sizes took, ms: at least so many bytes, and below so many. */
  double[] millis(long atLeastBytes, long belowBytes);

  /**
   * How long those would have taken in the schedule of {@link ShortestRemaining}, ms; of transfers
   * that come by chance.
   *
   * @param latencyNanos what each takes beside its packets' serialisation
   */
  double[] idealMillis(long latencyNanos, long atLeastBytes, long belowBytes);
}

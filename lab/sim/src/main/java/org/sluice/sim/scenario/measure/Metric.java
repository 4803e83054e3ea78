// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

/** A number that a run yields. */
@FunctionalInterface
public interface Metric {
  /** To be evaluated after the run; NaN where there is nothing to measure. */
  double value();
}

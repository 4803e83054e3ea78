// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.plan;

import org.sluice.sim.scenario.document.Fields;

/**
 * Where a value must lie, both ends allowed; infinite where there is no bound.
 *
 * @param atLeast the lower end
 * @param atMost the upper end
 */
public record Bounds(double atLeast, double atMost) {
  static Bounds of(Fields at) {
    double atLeast = at.number("atLeast", Double.NEGATIVE_INFINITY);
    double atMost = at.number("atMost", Double.POSITIVE_INFINITY);
    if (atLeast > atMost) {
      throw at.problem("atMost", "it is below atLeast", "give at least " + atLeast);
    }
    return new Bounds(atLeast, atMost);
  }

  public boolean isNone() {
    return Double.isInfinite(atLeast) && Double.isInfinite(atMost);
  }

  /** Never of NaN. */
  public boolean hold(double value) {
    return value >= atLeast && value <= atMost;
  }
}

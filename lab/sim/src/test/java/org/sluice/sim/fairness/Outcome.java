// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.fairness;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.sluice.sim.transport.Flow;

/**
 * What the endpoints got that sent in a phase, beside what they are due.
 *
 * @param all by endpoint, those that sent
 */
record Outcome(int phase, List<Got> all) {

  /**
   * @param endpoint its number in the case
   */
  record Got(int endpoint, double megabits, double dueMegabits) {
    /** How far off it is, as a part of what it is due. */
    double error() {
      return Math.abs(megabits / dueMegabits - 1);
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "e%d %.3f of %.3f", endpoint, megabits, dueMegabits);
    }
  }

  static Outcome of(
      CaseNetwork network, int phase, Map<Flow, Double> due, ToDoubleFunction<Flow> got) {
    List<Got> all = new ArrayList<>();
    for (int i = 0; i < network.endpoints.size(); i++) {
      List<Flow> own = network.flows.get(i).stream().filter(due::containsKey).toList();
      if (!own.isEmpty()) {
        double megabits = own.stream().mapToDouble(got).sum();
        all.add(new Got(i, megabits, own.stream().mapToDouble(due::get).sum()));
      }
    }
    return new Outcome(phase, all);
  }

  /** How far whoever is off by most is off, as a part of what it is due. */
  double error() {
    return worst().error();
  }

  /** Who is off by most. */
  Got worst() {
    return all.stream().max(Comparator.comparingDouble(Got::error)).orElseThrow();
  }

  /** Of several the one in which somebody is off by most. */
  static Outcome worst(List<Outcome> outcomes) {
    return outcomes.stream().max(Comparator.comparingDouble(Outcome::error)).orElseThrow();
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "phase %d: %.1f %%: %s; all: %s", phase, 100 * error(), worst(), all);
  }
}

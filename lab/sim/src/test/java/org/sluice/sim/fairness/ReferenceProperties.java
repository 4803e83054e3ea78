// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.sluice.sim.transport.Flow;

/** The reference itself, against what defines max-min shares. */
class ReferenceProperties {
  private static final CaseKind.Size SIZE = new CaseKind.Size(6, 8, 6, 100, 1000);

  private CaseNetwork network;
  private Map<Flow, Double> rates;

  private void compute(FairnessCase drawn) {
    network = FluidNetwork.of(drawn);
    rates = network.due(each -> true, Map.of());
  }

  private Optional<String> problem() {
    return new SharesCheck(network, rates).problem();
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void unsatisfiedFlowHasABottleneckAtWhichNoFlowHasMore(@ForAll("cases") FairnessCase drawn) {
    compute(drawn);
    assertThat(problem()).as("%s", drawn).isEmpty();
  }

  /** What is a fiftieth off is found, in either direction and whoever it is. */
  @Property(tries = 30, edgeCases = EdgeCasesMode.NONE)
  void checkDetectsWrongShares(@ForAll("cases") FairnessCase drawn) {
    compute(drawn);
    for (Flow flow : Set.copyOf(rates.keySet())) {
      double rate = rates.get(flow);
      if (rate > 1) {
        rates.put(flow, 0.98 * rate);
        assertThat(problem()).as("too little for %s of %s", flow.name(), drawn).isPresent();
        rates.put(flow, 1.02 * rate);
        assertThat(problem()).as("too much for %s of %s", flow.name(), drawn).isPresent();
        rates.put(flow, rate);
      }
    }
  }

  @Provide
  Arbitrary<FairnessCase> cases() {
    return Cases.any(SIZE);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.sluice.sim.fairness.FairnessCase.EndpointPlan;
import org.sluice.sim.fairness.FairnessCase.TenantPlan;
import org.sluice.sim.scenario.measure.MaxMinShares;
import org.sluice.sim.transport.Flow;

/** The reference itself, against what defines max-min shares. */
class ReferenceProperties {
  private static final CaseKind.Size SIZE = new CaseKind.Size(6, 8, 6, 100, 1000);

  private CaseNetwork network;
  private Map<Flow, Double> rates;
  private Map<Flow, Double> floors;

  private void compute(FairnessCase drawn) {
    network = FluidNetwork.of(drawn);
    MaxMinShares.Shares shares = network.shares(each -> true, Map.of());
    rates = shares.megabits();
    floors = shares.floorMegabits();
  }

  private Optional<String> problem() {
    return new SharesCheck(network, rates, floors).problem();
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void unsatisfiedFlowHasABottleneckAtWhichNoFlowHasMore(@ForAll("cases") FairnessCase drawn) {
    compute(drawn);
    assertThat(problem()).as("%s", drawn).isEmpty();
  }

  /**
   * At a port that has room for all guarantees each tenant has its own, or all that its endpoints
   * demand and their ceilings allow.
   */
  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void guaranteesAreKeptWhereTheyFit(@ForAll("onePorts") FairnessCase drawn) {
    compute(drawn);
    double sum = drawn.tenants().stream().mapToDouble(TenantPlan::guaranteeMegabits).sum();
    Assume.that(sum <= 0.9 * drawn.links().get(0).megabits());
    for (int i = 0; i < drawn.tenants().size(); i++) {
      TenantPlan tenant = drawn.tenants().get(i);
      double got = 0;
      double most = 0;
      for (int e = 0; e < drawn.endpoints().size(); e++) {
        EndpointPlan plan = drawn.endpoints().get(e);
        if (plan.tenant() == i && tenant.isShared()) {
          got += network.flows.get(e).stream().mapToDouble(rates::get).sum();
          double ceiling = plan.ceilingMegabits();
          most += Math.min(plan.wantedMegabits(), ceiling > 0 ? ceiling : FairnessCase.ALL);
        }
      }
      double due = Math.min(tenant.guaranteeMegabits(), most);
      assertThat(got).as("tenant %d of %s", i, drawn).isGreaterThanOrEqualTo(due * (1 - 1e-5));
    }
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
  Arbitrary<FairnessCase> onePorts() {
    return Cases.of(CaseKind.ONE_PORT, SIZE);
  }

  @Provide
  Arbitrary<FairnessCase> cases() {
    return Cases.any(SIZE);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.fairness;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.sluice.sim.fairness.FairnessCase.EndpointPlan;
import org.sluice.sim.fairness.FairnessCase.TenantPlan;

/**
 * Where the law's limits do not show (docs/two-time-scale-law.md): who demands less than it may
 * have demands clearly less, a tenant with a ceiling has one endpoint, an endpoint has one
 * destination, and a tenant is guaranteed something where all its endpoints want alike parts of it.
 */
final class Domain {
  /**
   * Of what an endpoint could have. Above 0.8 the controller takes it for one that demands all, so
   * that what it leaves is shared by all at the port.
   */
  private static final double CLEARLY_LIGHT = 0.7;

  private Domain() {}

  /**
   * The same for packets: nobody pauses, which no loop can fill at once, and nobody has a ceiling,
   * under which hosts stay by several per cent.
   *
   * @param isTcp whether greedy ones may send by TCP
   */
  static FairnessCase ofPackets(FairnessCase drawn, boolean isTcp) {
    List<TenantPlan> tenants = new ArrayList<>();
    drawn.tenants().forEach(each -> tenants.add(each.withoutCeiling()));
    List<EndpointPlan> endpoints = new ArrayList<>();
    for (EndpointPlan each : drawn.endpoints()) {
      endpoints.add(
          each.due(each.weight(), each.guaranteeMegabits(), 0)
              .wanting(each.wantedMegabits(), true)
              .by(isTcp && each.isTcp()));
    }
    return inside(new FairnessCase(drawn.links(), tenants, endpoints));
  }

  /** The case, with what lies outside changed: who is not clearly light is greedy. */
  static FairnessCase inside(FairnessCase drawn) {
    FairnessCase known =
        withoutUnequalGuarantees(withOneDestinationEach(withoutDividedCeilings(drawn)));
    for (int i = 0; i < known.endpoints().size(); i++) {
      if (!isClear(known, i)) {
        EndpointPlan plan = known.endpoints().get(i);
        known = with(known, i, plan.wanting(FairnessCase.ALL, plan.sendsInSecondPhase()));
        // Others' parts are smaller now.
        i = -1;
      }
    }
    return known;
  }

  /** The case, without guarantees of which endpoints that send would want unequal parts. */
  private static FairnessCase withoutUnequalGuarantees(FairnessCase drawn) {
    List<TenantPlan> tenants = new ArrayList<>();
    for (int i = 0; i < drawn.tenants().size(); i++) {
      int number = i;
      TenantPlan plan = drawn.tenants().get(i);
      List<EndpointPlan> own =
          drawn.endpoints().stream().filter(each -> each.tenant() == number).toList();
      boolean isEqual =
          own.size() <= 1
              || own.stream()
                  .allMatch(
                      each ->
                          each.isGreedy()
                              && each.ceilingMegabits() == 0
                              && each.weight() == own.get(0).weight());
      tenants.add(
          isEqual
              ? plan
              : new TenantPlan(plan.isShared(), plan.weight(), 0, plan.ceilingMegabits()));
    }
    return new FairnessCase(drawn.links(), tenants, drawn.endpoints());
  }

  private static boolean isClear(FairnessCase known, int endpoint) {
    EndpointPlan plan = known.endpoints().get(endpoint);
    if (plan.isGreedy()) {
      return true;
    }
    FairnessCase greedy = with(known, endpoint, plan.wanting(FairnessCase.ALL, true));
    CaseNetwork network = FluidNetwork.of(greedy);
    return IntStream.range(0, FairnessCase.PHASES)
        .mapToObj(phase -> network.due(each -> each.sendsIn(phase), Map.of()))
        .mapToDouble(due -> network.flows.get(endpoint).stream().mapToDouble(due::get).sum())
        .allMatch(could -> plan.wantedMegabits() <= CLEARLY_LIGHT * could);
  }

  private static FairnessCase with(FairnessCase known, int endpoint, EndpointPlan plan) {
    List<EndpointPlan> endpoints = new ArrayList<>(known.endpoints());
    endpoints.set(endpoint, plan);
    return new FairnessCase(known.links(), known.tenants(), endpoints);
  }

  private static FairnessCase withOneDestinationEach(FairnessCase drawn) {
    List<EndpointPlan> endpoints = new ArrayList<>();
    drawn.endpoints().forEach(each -> endpoints.add(each.sendingTo(each.to().subList(0, 1))));
    return new FairnessCase(drawn.links(), drawn.tenants(), endpoints);
  }

  /** The case, without ceilings of tenants that have several endpoints. */
  static FairnessCase withoutDividedCeilings(FairnessCase drawn) {
    List<TenantPlan> tenants = new ArrayList<>();
    for (int i = 0; i < drawn.tenants().size(); i++) {
      int number = i;
      TenantPlan plan = drawn.tenants().get(i);
      long own = drawn.endpoints().stream().filter(each -> each.tenant() == number).count();
      tenants.add(own > 1 ? plan.withoutCeiling() : plan);
    }
    return new FairnessCase(drawn.links(), tenants, drawn.endpoints());
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.fairness;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A network, tenants and what their endpoints demand.
 *
 * @param links link i joins switch i + 1 with an earlier one; both directions are ports
 * @param tenants at least one
 * @param endpoints at least one; all send to receivers of nobody, one at each switch
 */
record FairnessCase(List<Cable> links, List<TenantPlan> tenants, List<EndpointPlan> endpoints) {
  static final double ALL = Double.POSITIVE_INFINITY;

  /** Who sends when, of {@link #PHASES}. */
  static final int PHASES = 3;

  FairnessCase {
    links = List.copyOf(links);
    tenants = List.copyOf(tenants);
    endpoints = List.copyOf(endpoints);
  }

  /**
   * @param parent the switch of a lower number that it leads to
   */
  record Cable(int parent, double megabits) {}

  /**
   * @param isShared whether its endpoints share what it is due; else it is due nothing itself
   * @param guaranteeMegabits 0 is none
   * @param ceilingMegabits 0 is none
   */
  record TenantPlan(
      boolean isShared, double weight, double guaranteeMegabits, double ceilingMegabits) {
    TenantPlan withoutCeiling() {
      return new TenantPlan(isShared, weight, guaranteeMegabits, 0);
    }
  }

  /**
   * @param at its switch
   * @param to the switches of its flows' receivers, each another one than its own
   * @param wantedMegabits of each flow; {@link #ALL} where it is greedy
   * @param isTcp whether a greedy one sends by TCP, where packets are sent
   * @param sendsInSecondPhase all send in the first and the third
   */
  record EndpointPlan(
      int tenant,
      double weight,
      double guaranteeMegabits,
      double ceilingMegabits,
      int at,
      List<Integer> to,
      double wantedMegabits,
      boolean isTcp,
      boolean sendsInSecondPhase) {
    EndpointPlan {
      to = List.copyOf(to);
    }

    boolean isGreedy() {
      return wantedMegabits == ALL;
    }

    boolean sendsIn(int phase) {
      return phase != 1 || sendsInSecondPhase;
    }

    EndpointPlan by(boolean tcp) {
      return new EndpointPlan(
          tenant,
          weight,
          guaranteeMegabits,
          ceilingMegabits,
          at,
          to,
          wantedMegabits,
          tcp,
          sendsInSecondPhase);
    }

    EndpointPlan due(double newWeight, double newGuarantee, double newCeiling) {
      return new EndpointPlan(
          tenant,
          newWeight,
          newGuarantee,
          newCeiling,
          at,
          to,
          wantedMegabits,
          isTcp,
          sendsInSecondPhase);
    }

    EndpointPlan wanting(double megabits, boolean always) {
      return new EndpointPlan(
          tenant, weight, guaranteeMegabits, ceilingMegabits, at, to, megabits, isTcp, always);
    }

    EndpointPlan sendingTo(List<Integer> destinations) {
      return new EndpointPlan(
          tenant,
          weight,
          guaranteeMegabits,
          ceilingMegabits,
          at,
          destinations,
          wantedMegabits,
          isTcp,
          sendsInSecondPhase);
    }
  }

  /**
   * The ceiling that an endpoint's host knows, Mbit/s: its own or its tenant's, of which no
   * endpoint may have more than all; 0 is none.
   */
  double ceilingAtHost(EndpointPlan endpoint) {
    TenantPlan tenant = tenants.get(endpoint.tenant());
    double own = endpoint.ceilingMegabits();
    double most = tenant.isShared() ? tenant.ceilingMegabits() : 0;
    return own > 0 && most > 0 ? Math.min(own, most) : Math.max(own, most);
  }

  boolean isAnyoneIntermittent() {
    return endpoints.stream().anyMatch(each -> !each.sendsInSecondPhase());
  }

  // ---------------------------------------------------------------- smaller ones

  /** Cases that differ in one thing that was left out, the largest steps first. */
  Stream<FairnessCase> smaller() {
    Stream<FairnessCase> fewer =
        endpoints.size() > 1
            ? IntStream.range(0, endpoints.size()).mapToObj(this::without)
            : Stream.empty();
    return Stream.concat(
        fewer, Stream.concat(plainerTenants(), Stream.concat(plainerEndpoints(), fewerLinks())));
  }

  private FairnessCase without(int endpoint) {
    List<EndpointPlan> left = new ArrayList<>(endpoints);
    left.remove(endpoint);
    return new FairnessCase(links, tenants, left);
  }

  private Stream<FairnessCase> plainerTenants() {
    List<FairnessCase> all = new ArrayList<>();
    for (int i = 0; i < tenants.size(); i++) {
      TenantPlan each = tenants.get(i);
      addTenant(all, i, new TenantPlan(each.isShared(), each.weight(), 0, each.ceilingMegabits()));
      addTenant(all, i, each.withoutCeiling());
      addTenant(
          all,
          i,
          new TenantPlan(each.isShared(), 1, each.guaranteeMegabits(), each.ceilingMegabits()));
    }
    return all.stream();
  }

  private void addTenant(List<FairnessCase> all, int at, TenantPlan plan) {
    if (!plan.equals(tenants.get(at))) {
      List<TenantPlan> changed = new ArrayList<>(tenants);
      changed.set(at, plan);
      all.add(new FairnessCase(links, changed, endpoints));
    }
  }

  private Stream<FairnessCase> plainerEndpoints() {
    List<UnaryOperator<EndpointPlan>> changes =
        List.of(
            e -> e.sendingTo(e.to().subList(0, 1)),
            e -> e.due(1, e.guaranteeMegabits(), e.ceilingMegabits()),
            e -> e.due(e.weight(), 0, e.ceilingMegabits()),
            e -> e.due(e.weight(), e.guaranteeMegabits(), 0),
            e -> e.wanting(ALL, e.sendsInSecondPhase()),
            e -> e.wanting(e.wantedMegabits(), true));
    List<FairnessCase> all = new ArrayList<>();
    for (int i = 0; i < endpoints.size(); i++) {
      for (UnaryOperator<EndpointPlan> change : changes) {
        EndpointPlan plan = change.apply(endpoints.get(i));
        if (!plan.equals(endpoints.get(i))) {
          List<EndpointPlan> changed = new ArrayList<>(endpoints);
          changed.set(i, plan);
          all.add(new FairnessCase(links, tenants, changed));
        }
      }
    }
    return all.stream();
  }

  /** The last switch goes if nobody is there. */
  private Stream<FairnessCase> fewerLinks() {
    int last = links.size();
    boolean isUsed =
        last == 1
            || endpoints.stream().anyMatch(each -> each.at() == last || each.to().contains(last));
    return isUsed
        ? Stream.empty()
        : Stream.of(new FairnessCase(links.subList(0, last - 1), tenants, endpoints));
  }

  // ---------------------------------------------------------------- words

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("switches 0");
    for (int i = 0; i < links.size(); i++) {
      Cable link = links.get(i);
      text.append(format(", %d-%d %.1f Mbit/s", i + 1, link.parent(), link.megabits()));
    }
    for (int i = 0; i < tenants.size(); i++) {
      int number = i;
      List<EndpointPlan> own =
          endpoints.stream().filter(each -> each.tenant() == number).collect(Collectors.toList());
      if (!own.isEmpty()) {
        TenantPlan tenant = tenants.get(i);
        text.append(
            format(
                "%n  tenant %d%s: weight %s%s",
                i,
                tenant.isShared() ? "" : " (endpoint by endpoint)",
                tenant.weight(),
                bounds(tenant.guaranteeMegabits(), tenant.ceilingMegabits())));
        own.forEach(each -> text.append(words(each)));
      }
    }
    return text.toString();
  }

  private String words(EndpointPlan each) {
    return format(
        "%n    e%d: weight %s%s, %s to %s, wants %s%s",
        endpoints.indexOf(each),
        each.weight(),
        bounds(each.guaranteeMegabits(), each.ceilingMegabits()),
        each.at(),
        each.to(),
        each.isGreedy()
            ? (each.isTcp() ? "all (TCP)" : "all")
            : format("%.2f", each.wantedMegabits),
        each.sendsInSecondPhase() ? "" : ", pauses");
  }

  private static String bounds(double guarantee, double ceiling) {
    return (guarantee > 0 ? format(", at least %.1f", guarantee) : "")
        + (ceiling > 0 ? format(", at most %.1f", ceiling) : "");
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}

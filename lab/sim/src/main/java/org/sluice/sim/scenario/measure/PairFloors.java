// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.scenario.measure.MaxMinShares.Due;
import org.sluice.sim.scenario.measure.MaxMinShares.Leaf;

/**
 * Floors of pairs by what tenants and endpoints are guaranteed, by the hose model: the guarantee of
 * a tenant goes to those of its pairs that would have less than they demand without a floor, to
 * none more than it demands, else in proportion to endpoints' weights; an endpoint's own guarantee
 * to its pairs alike. A destination that is guaranteed something bounds the floors of those who
 * send there, to equal parts of it. So a pair that has what it demands without a floor takes
 * nothing from its siblings' floors; it has one of what they cannot use, lest it lives on theirs.
 */
final class PairFloors {
  private static final int BISECTIONS = 64;

  private final Map<Endpoint, Double> guarantees;
  private final Map<String, Due> dues;
  private final Map<Endpoint, String> tenants;
  private final Map<Endpoint, Double> weights;
  private final Collection<Pair> pairs;

  /** All flows from an endpoint to another. */
  private static final class Pair {
    final Endpoint source;
    final Endpoint destination;
    final List<Leaf> leaves = new ArrayList<>();

    /** The most that it can send, bit/s. */
    double most;

    /** Whether it has ever had less than it demands. */
    boolean isWanting;

    Pair(Leaf first) {
      source = first.flow.source();
      destination = first.flow.destination();
    }
  }

  PairFloors(
      List<Leaf> leaves,
      Map<Endpoint, Double> guarantees,
      Map<String, Due> dues,
      Map<Endpoint, String> tenants,
      Map<Endpoint, Double> weights,
      Map<Endpoint, Double> ceilings) {
    this.guarantees = guarantees;
    this.dues = dues;
    this.tenants = tenants;
    this.weights = weights;
    Map<List<Endpoint>, Pair> found = new LinkedHashMap<>();
    for (Leaf leaf : leaves) {
      List<Endpoint> ends = List.of(leaf.flow.source(), leaf.flow.destination());
      found.computeIfAbsent(ends, none -> new Pair(leaf)).leaves.add(leaf);
    }
    pairs = found.values();
    for (Pair pair : pairs) {
      double demand = pair.leaves.stream().mapToDouble(leaf -> leaf.demand).sum();
      double ceiling = ceilings.getOrDefault(pair.source, Double.POSITIVE_INFINITY);
      double nic = pair.source.host().nic().rateBitsPerSecond();
      pair.most = Math.min(demand, Math.min(ceiling, nic));
    }
  }

  /**
   * Gives floors to pairs that have less than they demand, too.
   *
   * @return whether there are more of them than before
   */
  boolean raise() {
    if (pairs.stream().noneMatch(pair -> own(pair.source) > 0 || ofTenant(pair.source) > 0)) {
      return false;
    }
    List<Pair> more =
        pairs.stream()
            .filter(pair -> !pair.isWanting)
            .filter(pair -> !pair.leaves.stream().allMatch(Leaf::isContent))
            .toList();
    more.forEach(pair -> pair.isWanting = true);
    if (!more.isEmpty()) {
      divide();
    }
    return !more.isEmpty();
  }

  private void divide() {
    Map<Endpoint, List<Pair>> bySource = wantingBy(pair -> pair.source);
    Map<Endpoint, List<Pair>> byDestination = wantingBy(pair -> pair.destination);
    Map<String, List<Pair>> byTenant = wantingBy(pair -> tenants.get(pair.source));
    Map<String, List<Pair>> byReceiver = wantingBy(pair -> tenants.get(pair.destination));
    ToDoubleFunction<Pair> most =
        pair -> {
          List<Pair> alone = List.of(pair);
          Endpoint to = pair.destination;
          double received =
              Math.min(
                  bound(own(to), byDestination.getOrDefault(to, alone)),
                  bound(ofTenant(to), byReceiver.getOrDefault(tenants.get(to), alone)));
          return Math.min(pair.most, received);
        };
    bySource.forEach(
        (source, some) ->
            fill(own(source), some, most, pair -> 1)
                .forEach((pair, floor) -> pair.leaves.forEach(leaf -> leaf.endpointFloor = floor)));
    byTenant.forEach(
        (tenant, wanting) -> {
          double all = ofTenant(wanting.get(0).source);
          Map<Pair, Double> floors =
              fill(
                  all,
                  wanting,
                  most,
                  pair ->
                      weights.getOrDefault(pair.source, 1.0) / bySource.get(pair.source).size());
          double left = all - total(floors);
          List<Pair> others =
              pairs.stream()
                  .filter(pair -> !pair.isWanting)
                  .filter(pair -> Objects.equals(tenants.get(pair.source), tenant))
                  .toList();
          giveOfTenant(floors);
          giveOfTenant(fill(left, others, most, pair -> weights.getOrDefault(pair.source, 1.0)));
        });
  }

  private static double total(Map<Pair, Double> floors) {
    return floors.entrySet().stream()
        .mapToDouble(each -> each.getKey().leaves.size() * each.getValue())
        .sum();
  }

  private static void giveOfTenant(Map<Pair, Double> floors) {
    floors.forEach((pair, floor) -> pair.leaves.forEach(leaf -> leaf.tenantFloor = floor));
  }

  private <K> Map<K, List<Pair>> wantingBy(Function<Pair, K> key) {
    Map<K, List<Pair>> some = new HashMap<>();
    for (Pair pair : pairs) {
      if (pair.isWanting) {
        some.computeIfAbsent(key.apply(pair), none -> new ArrayList<>()).add(pair);
      }
    }
    return some;
  }

  /** A level by weight up to which a guarantee fills pairs; each flow's part of its pair's. */
  private static Map<Pair, Double> fill(
      double guarantee,
      List<Pair> pairs,
      ToDoubleFunction<Pair> most,
      ToDoubleFunction<Pair> weight) {
    double low = 0;
    double high = guarantee;
    for (Pair pair : pairs) {
      high = Math.max(high, guarantee / weight.applyAsDouble(pair));
    }
    for (int step = 0; step < BISECTIONS; step++) {
      double level = (low + high) / 2;
      double sum = 0;
      for (Pair pair : pairs) {
        sum += Math.min(most.applyAsDouble(pair), weight.applyAsDouble(pair) * level);
      }
      if (sum > guarantee) {
        high = level;
      } else {
        low = level;
      }
    }
    Map<Pair, Double> floors = new HashMap<>();
    for (Pair pair : pairs) {
      double floor = Math.min(most.applyAsDouble(pair), weight.applyAsDouble(pair) * high);
      floors.put(pair, floor / pair.leaves.size());
    }
    return floors;
  }

  private double own(Endpoint endpoint) {
    return guarantees.getOrDefault(endpoint, 0.0);
  }

  private double ofTenant(Endpoint endpoint) {
    Due due = dues.get(tenants.get(endpoint));
    return due == null ? 0 : due.guaranteeBitsPerSecond();
  }

  /** Who is guaranteed nothing bounds nobody who sends there. */
  private static double bound(double guarantee, List<Pair> receiving) {
    return guarantee == 0 ? Double.POSITIVE_INFINITY : guarantee / receiving.size();
  }
}

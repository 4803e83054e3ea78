// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Node;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.transport.Flow;

/**
 * What each endpoint is due by hierarchical weighted max-min with demands, over all switch ports
 * together: a port is shared by tenants (weight, guarantee, ceiling), a tenant's part by its
 * endpoints (weight), an endpoint's part by its flows. What somebody does not want, or cannot get
 * elsewhere, is its siblings' first, then the others'.
 *
 * <p>A reference, made to be plain: each port is filled by bisection, and all ports again and again
 * until nothing moves (Bertsekas and Gallager, section 6.5.2, with a tree instead of a list). It
 * shares no code with the engine.
 */
public final class MaxMinShares {
  private static final int MAX_ROUNDS = 1000;
  private static final double SAME = 1e-9;

  private final Collection<TrafficGroup> groups;
  private final Map<Endpoint, String> tenants = new HashMap<>();
  private final Map<Endpoint, Double> weights = new HashMap<>();
  private final Map<Endpoint, Double> ceilings = new HashMap<>();
  private final Map<Endpoint, Double> guarantees = new HashMap<>();
  private final Map<String, Due> dues = new HashMap<>();

  /**
   * What a tenant is due, all its endpoints together.
   *
   * @param weight above 0
   * @param guaranteeBitsPerSecond 0 is none
   * @param ceilingBitsPerSecond infinite is none
   */
  public record Due(double weight, double guaranteeBitsPerSecond, double ceilingBitsPerSecond) {}

  public MaxMinShares(Collection<TrafficGroup> groups) {
    this.groups = groups;
  }

  /** An endpoint belongs to a tenant; without, it is due something by itself. */
  public void setTenant(Endpoint endpoint, String tenant) {
    tenants.put(endpoint, tenant);
  }

  public void setDue(String tenant, Due due) {
    dues.put(tenant, due);
  }

  /** Against siblings, or against all where it has no tenant. */
  public void setWeight(Endpoint endpoint, double weight) {
    weights.put(endpoint, weight);
  }

  /** Its own ceiling, bit/s. */
  public void setCeiling(Endpoint endpoint, double bitsPerSecond) {
    ceilings.put(endpoint, bitsPerSecond);
  }

  /** Its own guarantee, bit/s. */
  public void setGuarantee(Endpoint endpoint, double bitsPerSecond) {
    guarantees.put(endpoint, bitsPerSecond);
  }

  /** One flow and what it may send. */
  private static final class Leaf {
    final Endpoint endpoint;
    final List<Port> path;
    final double demand;

    /** What each port of the path leaves to it, bit/s. */
    final double[] parts;

    Leaf(Flow flow, List<Port> path, double demand) {
      this.endpoint = flow.source();
      this.path = path;
      this.demand = demand;
      this.parts = new double[path.size()];
      Arrays.fill(parts, Double.POSITIVE_INFINITY);
    }

    /** The least of its demand and of what all ports but one leave. */
    double wanted(int butHop) {
      double least = demand;
      for (int hop = 0; hop < parts.length; hop++) {
        least = hop == butHop ? least : Math.min(least, parts[hop]);
      }
      return least;
    }

    double rate() {
      return wanted(-1);
    }
  }

  /**
   * A leaf or a group of them that shares a port.
   *
   * @param most what it takes at most
   * @param least what it takes at least, if it wants so much
   */
  private record Member(
      double weight,
      double ceiling,
      double most,
      double least,
      Leaf leaf,
      int hop,
      List<Member> within) {

    static Member leaf(Leaf leaf, int hop) {
      return new Member(1, Double.POSITIVE_INFINITY, leaf.wanted(hop), 0, leaf, hop, List.of());
    }

    static Member group(double weight, double ceiling, double floor, List<Member> within) {
      double most = Math.min(ceiling, within.stream().mapToDouble(Member::most).sum());
      double floors = within.stream().mapToDouble(Member::least).sum();
      double least = Math.min(most, Math.max(floor, floors));
      return new Member(weight, ceiling, most, least, null, 0, within);
    }

    void give(double bitsPerSecond) {
      if (leaf != null) {
        leaf.parts[hop] = bitsPerSecond;
      } else {
        fill(Math.min(bitsPerSecond, ceiling), within);
      }
    }
  }

  /** What each endpoint is due of its flows that send in a window, Mbit/s. */
  public Map<Endpoint, Double> megabits(Window window) {
    return megabits(window, Map.of());
  }

  /**
   * The same where some flows' demands are known better than by what they send on average.
   *
   * @param demandMegabits by flow
   */
  Map<Endpoint, Double> megabits(Window window, Map<Flow, Double> demandMegabits) {
    List<Leaf> leaves = leaves(window, demandMegabits);
    Map<Port, List<Leaf>> ports = new LinkedHashMap<>();
    for (Leaf leaf : leaves) {
      leaf.path.forEach(port -> ports.computeIfAbsent(port, none -> new ArrayList<>()).add(leaf));
    }
    double[] before = new double[leaves.size()];
    for (int round = 0; round < MAX_ROUNDS; round++) {
      ports.forEach(this::share);
      double moved = 0;
      for (int i = 0; i < before.length; i++) {
        double rate = leaves.get(i).rate();
        moved = Math.max(moved, Math.abs(rate - before[i]) / Math.max(1, rate));
        before[i] = rate;
      }
      if (moved < SAME) {
        break;
      }
    }
    Map<Endpoint, Double> result = new LinkedHashMap<>();
    leaves.forEach(leaf -> result.merge(leaf.endpoint, leaf.rate() / 1e6, Double::sum));
    return result;
  }

  private List<Leaf> leaves(Window window, Map<Flow, Double> demandMegabits) {
    List<Leaf> leaves = new ArrayList<>();
    for (TrafficGroup group : groups) {
      if (group.startNanos() >= window.toNanos() || group.stopNanos() <= window.fromNanos()) {
        continue;
      }
      for (Flow flow : group.flows()) {
        Double known = demandMegabits.get(flow);
        double demand = known == null ? group.demandBitsPerSecond() : known * 1e6;
        leaves.add(new Leaf(flow, path(flow), demand));
      }
    }
    return leaves;
  }

  /** The host's NIC and the switches' ports; of equal ones the first. */
  private static List<Port> path(Flow flow) {
    List<Port> path = new ArrayList<>();
    path.add(flow.source().host().nic());
    Node at = path.get(0).peer();
    while (at instanceof Switch on) {
      path.add(on.egresses(flow.destination().number()).get(0));
      at = path.get(path.size() - 1).peer();
    }
    return path;
  }

  /** Shares a port among all who cross it. */
  private void share(Port port, List<Leaf> crossing) {
    Map<Endpoint, List<Member>> byEndpoint = new LinkedHashMap<>();
    for (Leaf leaf : crossing) {
      byEndpoint
          .computeIfAbsent(leaf.endpoint, none -> new ArrayList<>())
          .add(Member.leaf(leaf, leaf.path.indexOf(port)));
    }
    Map<String, List<Member>> byTenant = new LinkedHashMap<>();
    List<Member> all = new ArrayList<>();
    byEndpoint.forEach(
        (endpoint, flows) -> {
          Member member =
              Member.group(
                  weights.getOrDefault(endpoint, 1.0),
                  ceilings.getOrDefault(endpoint, Double.POSITIVE_INFINITY),
                  guarantees.getOrDefault(endpoint, 0.0),
                  flows);
          String tenant = tenants.get(endpoint);
          if (tenant == null) {
            all.add(member);
          } else {
            byTenant.computeIfAbsent(tenant, none -> new ArrayList<>()).add(member);
          }
        });
    byTenant.forEach(
        (tenant, members) -> {
          Due due = dues.get(tenant);
          all.add(
              Member.group(
                  due.weight(), due.ceilingBitsPerSecond(), due.guaranteeBitsPerSecond(), members));
        });
    fill(port.rateBitsPerSecond(), all);
  }

  /** Fills a capacity: a level by weight, floors and wants held. */
  private static void fill(double capacity, List<Member> sharers) {
    double wanted = sharers.stream().mapToDouble(Member::most).sum();
    double low = 0;
    double high = wanted <= capacity ? Double.POSITIVE_INFINITY : capacity;
    if (high < Double.POSITIVE_INFINITY) {
      for (Member sharer : sharers) {
        high = Math.max(high, capacity / sharer.weight());
      }
      for (int step = 0; step < 200; step++) {
        double level = (low + high) / 2;
        double sum = 0;
        for (Member sharer : sharers) {
          sum += taken(sharer, level);
        }
        if (sum > capacity) {
          high = level;
        } else {
          low = level;
        }
      }
    }
    for (int i = 0; i < sharers.size(); i++) {
      double others = 0;
      for (int j = 0; j < sharers.size(); j++) {
        others += i == j ? 0 : taken(sharers.get(j), high);
      }
      Member sharer = sharers.get(i);
      // What it could have, even if it does not want that now.
      double own = high < Double.POSITIVE_INFINITY ? sharer.weight() * high : 0;
      sharer.give(Math.max(own, Math.max(0, capacity - others)));
    }
  }

  private static double taken(Member sharer, double level) {
    return Math.min(sharer.most(), Math.max(sharer.least(), sharer.weight() * level));
  }
}

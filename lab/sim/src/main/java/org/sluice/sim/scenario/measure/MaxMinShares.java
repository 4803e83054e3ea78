// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Node;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.transport.Flow;

/**
 * What each endpoint is due by hierarchical weighted max-min with demands, over all switch ports
 * together: a port is shared by tenants (weight, guarantee, ceiling), a tenant's part by its
 * endpoints (the same), an endpoint's part by its flows. What somebody does not demand, or cannot
 * get elsewhere, is its siblings' first, then the others'.
 *
 * <p>Guarantees follow the hose model: a pair's floor is the lesser of its source's guarantee over
 * the source's pairs and its destination's over those who send there, and what floors come to at a
 * port is at most {@link #GUARANTEED_PART} of it. Ceilings hold at each port by itself; an
 * endpoint's holds at its NIC, too, and so for all that it sends.
 *
 * <p>A reference, made to be plain: each port is filled by bisection, and all ports again and again
 * until nothing moves (Bertsekas and Gallager, section 6.5.2, with a tree instead of a list). It
 * shares no code with the engine.
 */
public final class MaxMinShares {
  /** Floors at a port are scaled down to this part of it if they are more. */
  static final double GUARANTEED_PART = 0.9;

  private static final int MAX_ROUNDS = 10_000;
  private static final int BISECTIONS = 64;
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
    final Flow flow;
    final Endpoint endpoint;
    final List<Port> path;
    final double demand;

    /** Its part of what is guaranteed to its endpoint, and to its tenant, bit/s. */
    double endpointFloor;

    double tenantFloor;

    /** What each port of the path leaves to it, bit/s. */
    final double[] parts;

    Leaf(Flow flow, List<Port> path, double demand) {
      this.flow = flow;
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
   * @param floor what it has at least, if it demands so much and floors need no scaling
   */
  private record Member(
      double weight,
      double ceiling,
      double most,
      double floor,
      Leaf leaf,
      int hop,
      List<Member> within) {

    static Member leaf(Leaf leaf, int hop) {
      return new Member(1, Double.POSITIVE_INFINITY, leaf.wanted(hop), 0, leaf, hop, List.of());
    }

    static Member group(double weight, double ceiling, double floor, List<Member> within) {
      double most = Math.min(ceiling, within.stream().mapToDouble(Member::most).sum());
      double ceilings = within.stream().mapToDouble(Member::ceiling).sum();
      double least = Math.min(Math.max(floor, floors(within)), Math.min(ceiling, ceilings));
      return new Member(weight, ceiling, most, least, null, 0, within);
    }

    static double floors(List<Member> members) {
      return members.stream().mapToDouble(Member::floor).sum();
    }

    /** What part of their floors members have where these may take so much. */
    static double scale(double mostBitsPerSecond, List<Member> members) {
      double floors = floors(members);
      return floors > mostBitsPerSecond ? mostBitsPerSecond / floors : 1;
    }

    double taken(double level, double floorScale) {
      return Math.min(most, takenIfGreedy(level, floorScale));
    }

    double takenIfGreedy(double level, double floorScale) {
      return Math.max(floor * floorScale, weight * level);
    }

    void give(double bitsPerSecond, double floorScale) {
      if (leaf != null) {
        leaf.parts[hop] = bitsPerSecond;
      } else {
        // Floors of those within fit into what there is.
        double own = Math.min(bitsPerSecond, ceiling);
        fill(own, within, Math.min(floorScale, scale(own, within)));
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
    Map<Endpoint, Double> result = new LinkedHashMap<>();
    flowMegabits(window, demandMegabits)
        .forEach((flow, mbits) -> result.merge(flow.source(), mbits, Double::sum));
    return result;
  }

  /**
   * What each flow is due that sends in a window, Mbit/s.
   *
   * @param demandMegabits by flow, where that is known better than by what it sends on average
   * @throws IllegalStateException if it does not come to rest
   */
  public Map<Flow, Double> flowMegabits(Window window, Map<Flow, Double> demandMegabits) {
    List<Leaf> leaves = leaves(window, demandMegabits);
    setFloors(leaves);
    Map<Port, List<Leaf>> ports = new LinkedHashMap<>();
    for (Leaf leaf : leaves) {
      leaf.path.forEach(port -> ports.computeIfAbsent(port, none -> new ArrayList<>()).add(leaf));
    }
    double[] before = new double[leaves.size()];
    double moved = Double.POSITIVE_INFINITY;
    for (int round = 0; moved >= SAME; round++) {
      if (round == MAX_ROUNDS) {
        throw new IllegalStateException("no rest: the last round moved a rate by " + moved);
      }
      ports.forEach(this::share);
      moved = 0;
      for (int i = 0; i < before.length; i++) {
        double rate = leaves.get(i).rate();
        moved = Math.max(moved, Math.abs(rate - before[i]) / Math.max(1, rate));
        before[i] = rate;
      }
    }
    Map<Flow, Double> result = new LinkedHashMap<>();
    leaves.forEach(leaf -> result.put(leaf.flow, leaf.rate() / 1e6));
    return result;
  }

  // ---------------------------------------------------------------- guarantees

  private record Pair(Endpoint source, Endpoint destination) {}

  /** The hose model; flows of one pair have equal parts of its floor. */
  private void setFloors(List<Leaf> leaves) {
    Map<Pair, Integer> flows = new HashMap<>();
    for (Leaf leaf : leaves) {
      flows.merge(pair(leaf), 1, Integer::sum);
    }
    Map<Endpoint, Integer> ofSource = new HashMap<>();
    Map<Endpoint, Integer> ofDestination = new HashMap<>();
    Map<String, Integer> ofSourcesTenant = new HashMap<>();
    Map<String, Integer> ofDestinationsTenant = new HashMap<>();
    for (Pair pair : flows.keySet()) {
      ofSource.merge(pair.source, 1, Integer::sum);
      ofDestination.merge(pair.destination, 1, Integer::sum);
      ofSourcesTenant.merge(tenants.getOrDefault(pair.source, ""), 1, Integer::sum);
      ofDestinationsTenant.merge(tenants.getOrDefault(pair.destination, ""), 1, Integer::sum);
    }
    for (Leaf leaf : leaves) {
      Pair pair = pair(leaf);
      String from = tenants.getOrDefault(pair.source, "");
      String to = tenants.getOrDefault(pair.destination, "");
      double incoming =
          Math.min(
              bound(own(pair.destination), ofDestination.get(pair.destination)),
              bound(ofTenant(to), ofDestinationsTenant.get(to)));
      double outgoing = own(pair.source) / ofSource.get(pair.source);
      leaf.endpointFloor = Math.min(outgoing, incoming) / flows.get(pair);
      outgoing = ofTenant(from) / ofSourcesTenant.get(from);
      leaf.tenantFloor = Math.min(outgoing, incoming) / flows.get(pair);
    }
  }

  private static Pair pair(Leaf leaf) {
    return new Pair(leaf.flow.source(), leaf.flow.destination());
  }

  private double own(Endpoint endpoint) {
    return guarantees.getOrDefault(endpoint, 0.0);
  }

  private double ofTenant(String tenant) {
    Due due = dues.get(tenant);
    return due == null ? 0 : due.guaranteeBitsPerSecond();
  }

  /** Who is guaranteed nothing bounds nobody who sends there. */
  private static double bound(double guarantee, int pairs) {
    return guarantee == 0 ? Double.POSITIVE_INFINITY : guarantee / pairs;
  }

  // ---------------------------------------------------------------- ports

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
                  leaves(flows).mapToDouble(leaf -> leaf.endpointFloor).sum(),
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
          double floor =
              members.stream()
                  .flatMap(member -> leaves(member.within))
                  .mapToDouble(leaf -> leaf.tenantFloor)
                  .sum();
          all.add(Member.group(due.weight(), due.ceilingBitsPerSecond(), floor, members));
        });
    double capacity = port.rateBitsPerSecond();
    fill(capacity, all, Member.scale(GUARANTEED_PART * capacity, all));
  }

  private static Stream<Leaf> leaves(List<Member> flows) {
    return flows.stream().map(Member::leaf);
  }

  /**
   * Fills a capacity: a level by weight, floors and demands held. Each gets what it could have if
   * it demanded all, beside others that demand what they do: what it demands now may be another
   * port's doing, and that one's may be this port's.
   */
  private static void fill(double capacity, List<Member> sharers, double floorScale) {
    if (sharers.size() == 1) {
      sharers.get(0).give(capacity, floorScale);
      return;
    }
    double wanted = sharers.stream().mapToDouble(Member::most).sum();
    double level =
        wanted <= capacity
            ? Double.POSITIVE_INFINITY
            : level(capacity, sharers, floorScale, Optional.empty());
    for (Member sharer : sharers) {
      double taken = sharer.taken(level, floorScale);
      if (taken == sharer.most) {
        double own = level(capacity, sharers, floorScale, Optional.of(sharer));
        sharer.give(sharer.takenIfGreedy(own, floorScale), floorScale);
      } else {
        sharer.give(taken, floorScale);
      }
    }
  }

  /** The level at which sharers fill a capacity, one of them as if it demanded all. */
  @SuppressWarnings("ReferenceEquality") // A sharer is one object.
  private static double level(
      double capacity, List<Member> sharers, double floorScale, Optional<Member> greedy) {
    double low = 0;
    double high = capacity;
    for (Member sharer : sharers) {
      high = Math.max(high, capacity / sharer.weight);
    }
    for (int step = 0; step < BISECTIONS; step++) {
      double level = (low + high) / 2;
      double sum = greedy.isPresent() ? greedy.get().takenIfGreedy(level, floorScale) : 0;
      for (Member sharer : sharers) {
        boolean isGreedy = greedy.isPresent() && greedy.get() == sharer;
        sum += isGreedy ? 0 : sharer.taken(level, floorScale);
      }
      if (sum > capacity) {
        high = level;
      } else {
        low = level;
      }
    }
    return high;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.transport.Flow;

/**
 * What each endpoint is due by hierarchical weighted max-min with demands, over all switch ports
 * together: a port is shared by tenants (weight, guarantee, ceiling), a tenant's part by its
 * endpoints (the same), an endpoint's part by its flows. What somebody does not demand, or cannot
 * get elsewhere, is its siblings' first, then the others'.
 *
 * <p>Guarantees are floors of pairs that would have less than they demand without ({@link
 * PairFloors}), and what floors come to at a port is at most {@link #GUARANTEED_PART} of it. A
 * tenant's ceiling is for all that its endpoints send together, an endpoint's for all that it
 * sends.
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

  /** Who lacks no more than this part of what is demanded lacks nothing. */
  private static final double CONTENT = 1e-6;

  private final Collection<TrafficGroup> groups;
  private final Map<Endpoint, String> tenants = new HashMap<>();
  private final Map<Endpoint, Double> weights = new HashMap<>();
  private final Map<Endpoint, Double> ceilings = new HashMap<>();
  private final Map<Endpoint, Double> guarantees = new HashMap<>();
  private final Map<String, Due> dues = new LinkedHashMap<>();

  /**
   * What a tenant is due, all its endpoints together.
   *
   * @param weight above 0
   * @param guaranteeBitsPerSecond 0 is none
   * @param ceilingBitsPerSecond infinite is none
   */
  public record Due(double weight, double guaranteeBitsPerSecond, double ceilingBitsPerSecond) {}

  /**
   * What flows are due that send all at once.
   *
   * @param megabits by flow
   * @param floorMegabits by flow: its part of what its tenant is guaranteed
   * @param full ports that carry what they can
   */
  public record Shares(
      Map<Flow, Double> megabits, Map<Flow, Double> floorMegabits, Set<Port> full) {}

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

  /**
   * What is shared: a port, or, with a tenant, what its endpoints may send together.
   *
   * @param port null for a tenant's ceiling
   */
  private record Place(Port port, String tenant, double bitsPerSecond) {
    static Place of(Port port) {
      return new Place(port, null, port.rateBitsPerSecond());
    }
  }

  /** One flow and what it may send. */
  static final class Leaf {
    final Flow flow;
    final Endpoint endpoint;
    private final List<Place> path;
    final double demand;

    /** Its part of what is guaranteed to its endpoint, and to its tenant, bit/s. */
    double endpointFloor;

    double tenantFloor;

    /** What each place of the path leaves to it, bit/s. */
    private final double[] parts;

    private Leaf(Flow flow, List<Place> path, double demand) {
      this.flow = flow;
      this.endpoint = flow.source();
      this.path = path;
      this.demand = demand;
      this.parts = new double[path.size()];
    }

    boolean isContent() {
      return rate() >= demand * (1 - CONTENT);
    }

    /** The least of its demand and of what all places but one leave. */
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

  /** What each endpoint is due on average of its flows that send in a window, Mbit/s. */
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
    over(window, demandMegabits)
        .megabits()
        .forEach((flow, mbits) -> result.merge(flow.source(), mbits, Double::sum));
    return result;
  }

  /**
   * The mean over a window in which flows come and go, and the ports that are full all the time.
   *
   * @param demandMegabits by flow, where that is known better than by what it sends on average
   */
  public Shares over(Window window, Map<Flow, Double> demandMegabits) {
    Map<Set<TrafficGroup>, Long> lasting = Senders.lasting(groups, window);
    Map<Flow, Double> megabits = new LinkedHashMap<>();
    Map<Flow, Double> floors = new LinkedHashMap<>();
    Set<Port> full = null;
    for (Map.Entry<Set<TrafficGroup>, Long> each : lasting.entrySet()) {
      double part = (double) each.getValue() / (window.toNanos() - window.fromNanos());
      Shares shares = of(each.getKey(), demandMegabits);
      shares.megabits.forEach((flow, mbits) -> megabits.merge(flow, part * mbits, Double::sum));
      shares.floorMegabits.forEach((flow, mbits) -> floors.merge(flow, part * mbits, Double::sum));
      if (full == null) {
        full = new LinkedHashSet<>(shares.full);
      } else {
        full.retainAll(shares.full);
      }
    }
    return new Shares(megabits, floors, full == null ? Set.of() : full);
  }

  /**
   * What each flow of these groups is due while just they send.
   *
   * @param demandMegabits by flow, where that is known better than by what its group sends
   * @throws IllegalStateException if it does not come to rest
   */
  public Shares of(Collection<TrafficGroup> senders, Map<Flow, Double> demandMegabits) {
    List<Leaf> leaves = leaves(senders, demandMegabits);
    Map<Place, List<Leaf>> places = new LinkedHashMap<>();
    for (Leaf leaf : leaves) {
      leaf.path.forEach(at -> places.computeIfAbsent(at, none -> new ArrayList<>()).add(leaf));
    }
    PairFloors floors = new PairFloors(leaves, guarantees, dues, tenants, weights, ceilings);
    settle(leaves, places);
    while (floors.raise()) {
      settle(leaves, places);
    }
    Map<Flow, Double> megabits = new LinkedHashMap<>();
    Map<Flow, Double> floorMegabits = new LinkedHashMap<>();
    for (Leaf leaf : leaves) {
      megabits.put(leaf.flow, leaf.rate() / 1e6);
      floorMegabits.put(leaf.flow, leaf.tenantFloor / 1e6);
    }
    return new Shares(megabits, floorMegabits, full(places));
  }

  private static Set<Port> full(Map<Place, List<Leaf>> places) {
    Set<Port> full = new LinkedHashSet<>();
    places.forEach(
        (place, crossing) -> {
          double carried = crossing.stream().mapToDouble(Leaf::rate).sum();
          if (place.port != null && carried >= place.bitsPerSecond * (1 - CONTENT)) {
            full.add(place.port);
          }
        });
    return full;
  }

  /** Shares all places again and again until nothing moves. */
  private void settle(List<Leaf> leaves, Map<Place, List<Leaf>> places) {
    leaves.forEach(leaf -> Arrays.fill(leaf.parts, Double.POSITIVE_INFINITY));
    double[] before = new double[leaves.size()];
    double moved = Double.POSITIVE_INFINITY;
    for (int round = 0; moved >= SAME; round++) {
      if (round == MAX_ROUNDS) {
        throw new IllegalStateException("no rest: the last round moved a rate by " + moved);
      }
      places.forEach(this::share);
      moved = 0;
      for (int i = 0; i < before.length; i++) {
        double rate = leaves.get(i).rate();
        moved = Math.max(moved, Math.abs(rate - before[i]) / Math.max(1, rate));
        before[i] = rate;
      }
    }
  }

  // ---------------------------------------------------------------- ports

  private List<Leaf> leaves(Collection<TrafficGroup> senders, Map<Flow, Double> demandMegabits) {
    List<Leaf> leaves = new ArrayList<>();
    for (TrafficGroup group : senders) {
      for (Flow flow : group.flows()) {
        Double known = demandMegabits.get(flow);
        double demand = known == null ? group.sendingBitsPerSecond() : known * 1e6;
        List<Place> path = path(flow);
        leaves.add(new Leaf(flow, path, path.isEmpty() ? 0 : demand));
      }
    }
    return leaves;
  }

  /** The host's NIC, the switches' ports, the tenant's ceiling; nothing where no path leads. */
  private List<Place> path(Flow flow) {
    List<Place> path = new ArrayList<>();
    Port port = flow.source().host().nic();
    while (port != null) {
      path.add(Place.of(port));
      if (!(port.peer() instanceof Switch next)) {
        String tenant = tenants.get(flow.source());
        Due due = dues.get(tenant);
        if (due != null && due.ceilingBitsPerSecond < Double.POSITIVE_INFINITY) {
          path.add(new Place(null, tenant, due.ceilingBitsPerSecond));
        }
        return path;
      }
      port = next.egress(flow.destination().number(), flow.pathHash());
    }
    return List.of();
  }

  /** Shares a port among all who cross it, or a tenant's ceiling among its endpoints. */
  private void share(Place place, List<Leaf> crossing) {
    Map<Endpoint, List<Member>> byEndpoint = new LinkedHashMap<>();
    for (Leaf leaf : crossing) {
      byEndpoint
          .computeIfAbsent(leaf.endpoint, none -> new ArrayList<>())
          .add(Member.leaf(leaf, leaf.path.indexOf(place)));
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
          String tenant = place.port == null ? null : tenants.get(endpoint);
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
    double most = place.port == null ? place.bitsPerSecond : GUARANTEED_PART * place.bitsPerSecond;
    fill(place.bitsPerSecond, all, Member.scale(most, all));
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

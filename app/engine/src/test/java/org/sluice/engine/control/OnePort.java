// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.TenantId;
import org.sluice.api.link.EndpointProfile;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.PathTable;

/** The tables of an engine with one port, which every endpoint sends through with one pair. */
final class OnePort {
  /** An endpoint: floor and ceiling in bit/s, 0 is none; what it demands, infinite is all. */
  static final class Source {
    final double weight;
    final long floor;
    final long ceiling;
    final double wanted;

    /** What part of what it sends is expected to cross the port. */
    final double fraction;

    /** Row of its crossing. */
    int crossing;

    private int pair;

    Source(double weight, long floor, long ceiling, double wanted) {
      this(weight, floor, ceiling, wanted, 1);
    }

    Source(double weight, long floor, long ceiling, double wanted, double fraction) {
      this.fraction = fraction;
      this.weight = weight;
      this.floor = ceiling > 0 ? Math.min(floor, ceiling) : floor;
      this.ceiling = ceiling;
      this.wanted = wanted;
    }

    double most() {
      return ceiling > 0 ? Math.min(ceiling, wanted) : wanted;
    }

    @Override
    public String toString() {
      return "(w " + weight + ", " + floor + ".." + ceiling + ", wants " + wanted + ")";
    }
  }

  /** A tenant, whose endpoints share what it is due or have it each. */
  static final class Member {
    final boolean isShared;
    final double weight;
    final long guarantee;
    final long ceiling;
    final List<Source> sources;

    Member(boolean isShared, double weight, long guarantee, long ceiling, List<Source> sources) {
      this.isShared = isShared;
      this.weight = weight;
      this.guarantee = ceiling > 0 ? Math.min(guarantee, ceiling) : guarantee;
      this.ceiling = ceiling;
      this.sources = sources;
    }

    @Override
    public String toString() {
      String due = "w " + weight + ", " + guarantee + ".." + ceiling + " for ";
      return "\n" + (isShared ? due : "each of ") + sources;
    }
  }

  final double capacity;
  final List<Member> members;
  final EngineState state = new EngineState();
  final PortLevels levels = new PortLevels(state, new Floors(state, new Reservations()));
  final PortSources portSources;
  private final Demands demands = new Demands(state.crossings);
  private final PublishedEndpoints published = new PublishedEndpoints(state);
  private final int port;
  private final PortPairs pairs;

  /**
   * A port, with the tables filled in some order.
   *
   * @param order seeds the order in which endpoints come; 0: as they are listed
   */
  OnePort(double capacity, List<Member> members, long order) {
    this.capacity = capacity;
    this.members = members;
    port = state.ports.findOrAdd(PortId.of("of:0000000000000001", 1));
    // Shares come to the capacity that tests reckon with.
    state.ports.capacityBitsPerSecond[port] = Math.round(capacity / PortLevels.USED_PART);
    pairs = new PortPairs(port);
    portSources = new PortSources(port, pairs);
    List<Runnable> joins = new ArrayList<>();
    for (int m = 0; m < members.size(); m++) {
      Member member = members.get(m);
      TenantId tenant = TenantId.of("t" + m);
      for (Source source : member.sources) {
        int number = joins.size();
        joins.add(() -> join(source, number, tenant));
      }
      if (member.isShared) {
        state.tenants.share(
            state.tenants.findOrAdd(tenant), member.weight, member.guarantee, member.ceiling);
      }
    }
    if (order != 0) {
      Collections.shuffle(joins, new Random(order));
    }
    joins.forEach(Runnable::run);
  }

  private void join(Source source, int number, TenantId tenant) {
    HostId host = HostId.of("h" + number);
    EndpointId id = EndpointId.of(host, "vm");
    int endpoint = state.endpoints.add(id, state.hosts.findOrAdd(host));
    state.endpoints.setProfile(
        endpoint,
        EndpointProfile.of(id, tenant, source.weight, source.floor, source.ceiling, false));
    int to = state.addresses.retain(ip(2, number));
    int pair = state.pairs.add(endpoint, state.addresses.retain(ip(1, number)), to);
    state.pairs.activate(pair, 0);
    int entry =
        state.crossings.addEntry(
            endpoint, port, pair, (int) (source.fraction * PathTable.WHOLE), -1);
    state.pairs.firstEntry[pair] = entry;
    state.addresses.activeSenders[to]++;
    state.tenants.activePairs[state.endpoints.tenant[endpoint]]++;
    state.endpoints.activePairs[endpoint]++;
    source.pair = pair;
    source.crossing = state.crossings.entryCrossing[entry];
    state.crossings.activePairs[source.crossing]++;
    state.ports.activeEndpoints[port]++;
    state.ports.activityVersion[port]++;
  }

  private static IpAddress ip(int net, int number) {
    try {
      byte[] address = {10, (byte) net, (byte) (number >> 8), (byte) number};
      return IpAddress.of(InetAddress.getByAddress(address).getAddress());
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  /** Has all endpoints demand what they want. */
  void setDemands() {
    for (Source source : sources()) {
      boolean waits = source.wanted == Double.POSITIVE_INFINITY;
      state.pairs.setWaits(source.pair, waits, 0);
      state.pairs.setRateBitsPerSecond(source.pair, waits ? 0 : Math.round(source.wanted));
    }
  }

  /** Hosts report who waits, and what everybody sends; true if demands have changed. */
  boolean update(double[] rates, boolean[] waits, long now) {
    List<Source> all = sources();
    state.now = now;
    for (int i = 0; i < rates.length; i++) {
      state.pairs.setRateBitsPerSecond(all.get(i).pair, Math.round(rates[i]));
      state.pairs.setWaits(all.get(i).pair, waits[i], now);
    }
    portSources.update(state, published, now, true);
    return demands.update(portSources, capacity, now);
  }

  /** What is lent, by what is due to those who wait. */
  double lentPart(Loans loans, long now) {
    loans.update(portSources, levels.unclaimed(), false, state, now);
    return loans.part();
  }

  void compute() {
    levels.compute(port, pairs);
  }

  /** What an endpoint may send. */
  double part(Source source) {
    return state.crossings.partBitsPerSecond(source.crossing);
  }

  /** What of that it takes. */
  double taken(Source source) {
    return Math.min(part(source), source.most());
  }

  List<Source> sources() {
    List<Source> all = new ArrayList<>();
    members.forEach(member -> all.addAll(member.sources));
    return all;
  }

  // ---------------------------------------------------------------- a plain reference

  /** Bounds and weight of whoever shares something: a tenant, or an endpoint. */
  private static final class Sharer {
    final double weight;
    final double least;
    final double most;

    Sharer(double weight, double least, double most) {
      this.weight = weight;
      this.least = Math.min(least, most);
      this.most = most;
    }

    double taken(double level) {
      return Math.min(most, Math.max(least, weight * level));
    }
  }

  /**
   * What everybody takes, by bisection: first of tenants, then within each of those that share.
   * Floors of more than nine tenths of the port are scaled down to that, those of a tenant's
   * endpoints to no more than what the tenant has.
   */
  double[] reference() {
    List<Sharer> sharers = new ArrayList<>();
    List<List<Source>> within = new ArrayList<>();
    double floors = 0;
    for (Member member : members) {
      if (member.isShared) {
        double least = Math.max(sum(member.sources, false), member.guarantee);
        double bound = member.ceiling > 0 ? member.ceiling : Double.POSITIVE_INFINITY;
        floors += Math.min(least, Math.min(bound, ceilings(member.sources)));
      } else {
        floors += sum(member.sources, false);
      }
    }
    double scale = Math.min(1, 0.9 * capacity / PortLevels.USED_PART / floors);
    for (Member member : members) {
      if (member.isShared) {
        double bound = member.ceiling > 0 ? member.ceiling : Double.POSITIVE_INFINITY;
        double least = Math.max(sum(member.sources, false), member.guarantee);
        least = Math.min(least, Math.min(bound, ceilings(member.sources)));
        double most = Math.min(bound, sum(member.sources, true));
        sharers.add(new Sharer(member.weight, least * scale, most));
        within.add(member.sources);
      } else {
        for (Source source : member.sources) {
          sharers.add(new Sharer(source.weight, source.floor * scale, source.most()));
          within.add(List.of(source));
        }
      }
    }
    double[] of = fill(capacity, sharers);
    List<Double> taken = new ArrayList<>();
    for (int i = 0; i < of.length; i++) {
      List<Sharer> own = new ArrayList<>();
      // Together at most what the tenant has, which its ceiling may bound.
      double fitting = Math.min(scale, of[i] / sum(within.get(i), false));
      for (Source source : within.get(i)) {
        own.add(new Sharer(source.weight, source.floor * fitting, source.most()));
      }
      Arrays.stream(fill(of[i], own)).forEach(taken::add);
    }
    return taken.stream().mapToDouble(each -> each).toArray();
  }

  private static double sum(List<Source> sources, boolean most) {
    return sources.stream().mapToDouble(each -> most ? each.most() : each.floor).sum();
  }

  private static double ceilings(List<Source> sources) {
    return sources.stream()
        .mapToDouble(each -> each.ceiling > 0 ? each.ceiling : Double.POSITIVE_INFINITY)
        .sum();
  }

  private static double[] fill(double capacity, List<Sharer> sharers) {
    double low = 0;
    double high = 1;
    // Enough for the least weight to take everything.
    for (Sharer sharer : sharers) {
      high = Math.max(high, capacity / sharer.weight);
    }
    for (int step = 0; step < 300; step++) {
      double level = (low + high) / 2;
      if (sharers.stream().mapToDouble(each -> each.taken(level)).sum() > capacity) {
        high = level;
      } else {
        low = level;
      }
    }
    double level = low;
    return sharers.stream().mapToDouble(each -> each.taken(level)).toArray();
  }
}

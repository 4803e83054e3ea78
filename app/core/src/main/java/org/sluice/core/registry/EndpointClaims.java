// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.link.ReportedEndpoint;

/**
 * Which endpoints hosts report, and who holds an address. What the cluster has {@linkplain
 * #setDecisions decided} holds as long as its endpoint claims the address; without a decision it is
 * the first that claimed it here, until it gives it up, and a claim of a host that is away yields
 * to one of a host that is there. Nobody holds what the {@linkplain #setRules rules} object to. Not
 * thread-safe.
 */
final class EndpointClaims {
  private final Map<EndpointId, ReportedEndpoint> endpoints = new TreeMap<>();
  private final Map<HostId, Set<EndpointId>> byHost = new HashMap<>();

  /** By address: who may have it and claims it, the first one first. */
  private final Map<IpAddress, LinkedHashSet<EndpointId>> claimants = new HashMap<>();

  private final Set<HostId> present = new HashSet<>();
  private Map<IpAddress, EndpointId> decisions = Map.of();
  private ClaimRules rules = ClaimRules.NONE;

  /** An address that an endpoint claims and does not get. */
  static final class Conflict {
    final IpAddress ip;
    final EndpointId claimant;

    /** Why, in words. */
    final String reason;

    Conflict(IpAddress ip, EndpointId claimant, String reason) {
      this.ip = ip;
      this.claimant = claimant;
      this.reason = reason;
    }
  }

  /**
   * Replaces what a host reports; the host is there.
   *
   * @return addresses newly claimed and not got
   */
  List<Conflict> report(HostId host, Collection<ReportedEndpoint> reported) {
    present.add(host);
    Map<EndpointId, ReportedEndpoint> now = new TreeMap<>();
    reported.forEach(endpoint -> now.put(endpoint.id(), endpoint));
    Set<Claim> before = new HashSet<>();
    for (EndpointId old : byHost.getOrDefault(host, Set.of())) {
      endpoints.get(old).ips().forEach(ip -> before.add(new Claim(old, ip)));
      giveUp(old, now.containsKey(old) ? now.get(old).ips() : Set.of());
      endpoints.remove(old);
    }
    byHost.put(host, now.keySet());
    List<Conflict> conflicts = new ArrayList<>();
    for (ReportedEndpoint endpoint : now.values()) {
      endpoints.put(endpoint.id(), endpoint);
      for (IpAddress ip : endpoint.ips()) {
        claim(endpoint, ip);
        if (!before.contains(new Claim(endpoint.id(), ip)) && !holds(endpoint.id(), ip)) {
          conflicts.add(new Conflict(ip, endpoint.id(), reason(endpoint, ip)));
        }
      }
    }
    return conflicts;
  }

  private void claim(ReportedEndpoint endpoint, IpAddress ip) {
    if (rules.objection(endpoint, ip).isEmpty()) {
      claimants.computeIfAbsent(ip, i -> new LinkedHashSet<>()).add(endpoint.id());
    } else {
      withdraw(endpoint.id(), ip);
    }
  }

  private void withdraw(EndpointId endpoint, IpAddress ip) {
    Set<EndpointId> claims = claimants.get(ip);
    if (claims != null && claims.remove(endpoint) && claims.isEmpty()) {
      claimants.remove(ip);
    }
  }

  private void giveUp(EndpointId endpoint, Set<IpAddress> except) {
    for (IpAddress ip : endpoints.get(endpoint).ips()) {
      if (!except.contains(ip)) {
        withdraw(endpoint, ip);
      }
    }
  }

  private String reason(ReportedEndpoint endpoint, IpAddress ip) {
    return rules
        .objection(endpoint, ip)
        .or(() -> holder(ip).map(holder -> holder + " claimed it first and still holds it"))
        .orElseGet(() -> "the cluster has decided that " + decisions.get(ip) + " holds it");
  }

  /** The host is out of service: it has no endpoints, and holds nothing. */
  void forget(HostId host) {
    report(host, List.of());
    present.remove(host);
  }

  /** The host's session ended; its endpoints stay known. */
  void away(HostId host) {
    present.remove(host);
  }

  /** What may be claimed from now on. */
  void setRules(ClaimRules now) {
    rules = now;
    endpoints.values().forEach(endpoint -> endpoint.ips().forEach(ip -> claim(endpoint, ip)));
  }

  /** What the cluster has decided: by address, its holder. The map is not copied. */
  void setDecisions(Map<IpAddress, EndpointId> now) {
    decisions = now;
  }

  /** Who holds an address. */
  Optional<EndpointId> holder(IpAddress ip) {
    return holder(ip, host -> false);
  }

  /** As {@link #holder(IpAddress)}; decisions for these hosts yield to who is there. */
  private Optional<EndpointId> holder(IpAddress ip, Predicate<HostId> yields) {
    LinkedHashSet<EndpointId> claims = claimants.get(ip);
    if (claims == null) {
      return Optional.empty();
    }
    Optional<EndpointId> first =
        claims.stream().filter(claim -> present.contains(claim.host())).findFirst();
    EndpointId decided = decisions.get(ip);
    if (decided == null || first.isPresent() && yields.test(decided.host())) {
      return first.or(() -> claims.stream().findFirst());
    }
    if (claims.contains(decided)) {
      return Optional.of(decided);
    }
    // Of a host that has not reported here nobody knows whether its endpoint has given it up.
    return byHost.containsKey(decided.host())
        ? first.or(() -> claims.stream().findFirst())
        : Optional.empty();
  }

  private boolean holds(EndpointId endpoint, IpAddress ip) {
    return holder(ip).equals(Optional.of(endpoint));
  }

  /**
   * What is to be decided now: by host that has reported, whose addresses are.
   *
   * @param yields whether what was decided for a host yields to those who are there
   * @param formers whose addresses were, and are again once their host is there and claims them
   */
  Map<HostId, Map<EndpointId, Set<IpAddress>>> decide(
      Predicate<HostId> yields, Map<IpAddress, EndpointId> formers) {
    Map<HostId, Map<EndpointId, Set<IpAddress>>> decided = new TreeMap<>();
    byHost.keySet().forEach(host -> decided.put(host, new TreeMap<>()));
    for (IpAddress ip : claimants.keySet()) {
      Optional.ofNullable(formers.get(ip))
          .filter(former -> present.contains(former.host()))
          .filter(claimants.get(ip)::contains)
          .or(() -> holder(ip, yields))
          .ifPresent(
              holder ->
                  decided.get(holder.host()).computeIfAbsent(holder, h -> new TreeSet<>()).add(ip));
    }
    return decided;
  }

  /** All reported endpoints, each with only the addresses that it holds, by id. */
  List<ReportedEndpoint> held() {
    List<ReportedEndpoint> held = new ArrayList<>(endpoints.size());
    for (ReportedEndpoint endpoint : endpoints.values()) {
      Set<IpAddress> ips = new LinkedHashSet<>();
      for (IpAddress ip : endpoint.ips()) {
        if (holds(endpoint.id(), ip)) {
          ips.add(ip);
        }
      }
      held.add(endpoint.withIps(ips));
    }
    return held;
  }

  /** What endpoints claim and do not hold; only endpoints with any, by id. */
  Map<EndpointId, Map<IpAddress, String>> refused() {
    Map<EndpointId, Map<IpAddress, String>> refused = new TreeMap<>();
    for (ReportedEndpoint endpoint : endpoints.values()) {
      for (IpAddress ip : endpoint.ips()) {
        if (!holds(endpoint.id(), ip)) {
          refused
              .computeIfAbsent(endpoint.id(), id -> new TreeMap<>())
              .put(ip, reason(endpoint, ip));
        }
      }
    }
    return refused;
  }

  /** That an endpoint claims an address. */
  private static final class Claim {
    private final EndpointId endpoint;
    private final IpAddress ip;

    Claim(EndpointId endpoint, IpAddress ip) {
      this.endpoint = endpoint;
      this.ip = ip;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Claim
          && endpoint.equals(((Claim) other).endpoint)
          && ip.equals(((Claim) other).ip);
    }

    @Override
    public int hashCode() {
      return 31 * endpoint.hashCode() + ip.hashCode();
    }
  }
}

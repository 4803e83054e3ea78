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
  private static final LinkedHashSet<EndpointId> NOBODY = new LinkedHashSet<>();

  private final Map<EndpointId, ReportedEndpoint> endpoints = new TreeMap<>();
  private final Map<HostId, Set<EndpointId>> byHost = new HashMap<>();

  /** By address: who may have it and claims it, the first one first. */
  private final Map<IpAddress, LinkedHashSet<EndpointId>> claimants = new HashMap<>();

  private final Set<HostId> present = new HashSet<>();
  private Map<IpAddress, EndpointId> decisions = Map.of();
  private ClaimRules rules = ClaimRules.NONE;

  /** Whose addresses may be others than when these were last taken. */
  private Set<EndpointId> touched = new TreeSet<>();

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
    Set<EndpointId> before = byHost.get(host);
    if (before == null) {
      touched.addAll(endpoints.keySet()); // What was decided for it may be free.
    }
    if (present.add(host) && before != null) {
      before.forEach(this::touch);
    }
    Map<EndpointId, ReportedEndpoint> now = new TreeMap<>();
    reported.forEach(endpoint -> now.put(endpoint.id(), endpoint));
    Map<EndpointId, ReportedEndpoint> changed = new TreeMap<>(now);
    Map<EndpointId, Set<IpAddress>> claimed = new HashMap<>();
    for (EndpointId id : before == null ? Set.<EndpointId>of() : before) {
      ReportedEndpoint old = endpoints.get(id);
      if (old.equals(now.get(id))) {
        changed.remove(id);
      } else {
        touch(id);
        claimed.put(id, old.ips());
        giveUp(id, now.containsKey(id) ? now.get(id).ips() : Set.of());
        endpoints.remove(id);
      }
    }
    byHost.put(host, now.keySet());
    List<Conflict> conflicts = new ArrayList<>();
    for (ReportedEndpoint endpoint : changed.values()) {
      EndpointId id = endpoint.id();
      endpoints.put(id, endpoint);
      for (IpAddress ip : endpoint.ips()) {
        claim(endpoint, ip);
        if (!claimed.getOrDefault(id, Set.of()).contains(ip) && !holds(id, ip)) {
          conflicts.add(new Conflict(ip, id, reason(endpoint, ip)));
        }
      }
      touch(id);
    }
    return conflicts;
  }

  /** What an endpoint claims may be another's from now on, or its own. */
  private void touch(EndpointId id) {
    touched.add(id);
    ReportedEndpoint endpoint = endpoints.get(id);
    if (endpoint != null) {
      endpoint.ips().forEach(this::touch);
    }
  }

  private void touch(IpAddress ip) {
    touched.addAll(claimants.getOrDefault(ip, NOBODY));
  }

  /** Those to whom an address may have come or been lost since the last call, or who are gone. */
  Set<EndpointId> takeTouched() {
    Set<EndpointId> taken = touched;
    touched = new TreeSet<>();
    return taken;
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

  /** What a host has reported. */
  Set<EndpointId> of(HostId host) {
    return byHost.getOrDefault(host, Set.of());
  }

  /** The host is out of service: it has no endpoints, and holds nothing. */
  void forget(HostId host) {
    report(host, List.of());
    present.remove(host);
  }

  /** The host's session ended; its endpoints stay known. */
  void away(HostId host) {
    if (present.remove(host)) {
      of(host).forEach(this::touch);
    }
  }

  /** What may be claimed from now on. */
  void setRules(ClaimRules now) {
    rules = now;
    touched.addAll(endpoints.keySet());
    endpoints.values().forEach(endpoint -> endpoint.ips().forEach(ip -> claim(endpoint, ip)));
  }

  /** What the cluster has decided: by address, its holder. The map is not copied. */
  void setDecisions(Map<IpAddress, EndpointId> now) {
    touchChanged(decisions, now);
    touchChanged(now, decisions);
    decisions = now;
  }

  private void touchChanged(Map<IpAddress, EndpointId> some, Map<IpAddress, EndpointId> others) {
    some.forEach(
        (ip, holder) -> {
          if (!holder.equals(others.get(ip))) {
            touch(ip);
          }
        });
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
    return byHost.containsKey(decided.host()) || rules.assigns(ip)
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

  /** A reported endpoint with only the addresses that it holds. */
  Optional<ReportedEndpoint> held(EndpointId id) {
    ReportedEndpoint endpoint = endpoints.get(id);
    if (endpoint == null) {
      return Optional.empty();
    }
    Set<IpAddress> ips = new LinkedHashSet<>(endpoint.ips());
    ips.removeIf(ip -> !holds(id, ip));
    return Optional.of(endpoint.withIps(ips));
  }

  /** What an endpoint claims and does not hold, each with the reason. */
  Map<IpAddress, String> refused(EndpointId id) {
    Map<IpAddress, String> refused = new TreeMap<>();
    ReportedEndpoint endpoint = endpoints.get(id);
    if (endpoint != null) {
      for (IpAddress ip : endpoint.ips()) {
        if (!holds(id, ip)) {
          refused.put(ip, reason(endpoint, ip));
        }
      }
    }
    return refused;
  }
}

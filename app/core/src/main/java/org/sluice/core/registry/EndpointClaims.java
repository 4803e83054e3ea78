// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.link.ReportedEndpoint;

/**
 * Which endpoints hosts report, and who holds an address that several report: the first that
 * claimed it, until it gives it up. A claim of a host that is away yields to one of a host that is
 * there, so that a VM can move off a host that died. Not thread-safe.
 */
final class EndpointClaims {
  private final Map<EndpointId, ReportedEndpoint> endpoints = new TreeMap<>();
  private final Map<IpAddress, LinkedHashSet<EndpointId>> claimants = new HashMap<>();
  private final Set<HostId> present = new LinkedHashSet<>();

  /** An address that an endpoint claims and another one holds. */
  static final class Conflict {
    final IpAddress ip;
    final EndpointId claimant;
    final EndpointId holder;

    Conflict(IpAddress ip, EndpointId claimant, EndpointId holder) {
      this.ip = ip;
      this.claimant = claimant;
      this.holder = holder;
    }
  }

  /**
   * Replaces what a host reports; the host is there.
   *
   * @return addresses newly claimed that somebody else holds
   */
  List<Conflict> report(HostId host, Collection<ReportedEndpoint> reported) {
    present.add(host);
    Map<EndpointId, ReportedEndpoint> now = new TreeMap<>();
    reported.forEach(endpoint -> now.put(endpoint.id(), endpoint));
    for (EndpointId old : ofHost(host)) {
      Set<IpAddress> kept = now.containsKey(old) ? now.get(old).ips() : Set.of();
      giveUp(old, kept);
      endpoints.remove(old);
    }
    List<Conflict> conflicts = new ArrayList<>();
    for (ReportedEndpoint endpoint : now.values()) {
      endpoints.put(endpoint.id(), endpoint);
      for (IpAddress ip : endpoint.ips()) {
        boolean fresh =
            claimants.computeIfAbsent(ip, i -> new LinkedHashSet<>()).add(endpoint.id());
        EndpointId holder = holder(ip).orElseThrow();
        if (fresh && !holder.equals(endpoint.id())) {
          conflicts.add(new Conflict(ip, endpoint.id(), holder));
        }
      }
    }
    return conflicts;
  }

  /** The host's session ended; its endpoints stay known. */
  void away(HostId host) {
    present.remove(host);
  }

  private void giveUp(EndpointId endpoint, Set<IpAddress> except) {
    for (IpAddress ip : endpoints.get(endpoint).ips()) {
      Set<EndpointId> claims = claimants.get(ip);
      if (!except.contains(ip) && claims.remove(endpoint) && claims.isEmpty()) {
        claimants.remove(ip);
      }
    }
  }

  private List<EndpointId> ofHost(HostId host) {
    List<EndpointId> found = new ArrayList<>();
    for (EndpointId id : endpoints.keySet()) {
      if (id.host().equals(host)) {
        found.add(id);
      }
    }
    return found;
  }

  /** Who holds an address. */
  Optional<EndpointId> holder(IpAddress ip) {
    Set<EndpointId> claims = claimants.getOrDefault(ip, new LinkedHashSet<>());
    for (EndpointId claim : claims) {
      if (present.contains(claim.host())) {
        return Optional.of(claim);
      }
    }
    return claims.stream().findFirst();
  }

  /** All reported endpoints, each with only the addresses that it holds, by id. */
  List<ReportedEndpoint> held() {
    List<ReportedEndpoint> held = new ArrayList<>(endpoints.size());
    for (ReportedEndpoint endpoint : endpoints.values()) {
      Set<IpAddress> ips = new LinkedHashSet<>();
      for (IpAddress ip : endpoint.ips()) {
        if (holder(ip).equals(Optional.of(endpoint.id()))) {
          ips.add(ip);
        }
      }
      held.add(ReportedEndpoint.of(endpoint.id(), endpoint.mac(), ips));
    }
    return held;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.profile;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.TenantId;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.tenant.Membership;
import org.sluice.core.tenant.TenantDirectory;

/** The profiles of all hosts' endpoints, brought up to date by what changed. Not thread-safe. */
final class HostProfiles {
  private final ReportedEndpoints endpoints;
  private final TenantDirectory tenants;
  private final Map<HostId, TreeMap<EndpointId, Membership>> byHost = new HashMap<>();

  /** In the order of endpoints: sums are the same on every node, whoever reported first. */
  private final Map<TenantId, TreeMap<EndpointId, Membership>> byTenant = new HashMap<>();

  /** By tenant: the weights of all its endpoints together. */
  private final Map<TenantId, Double> totalWeights = new HashMap<>();

  private long endpointsEpoch = -1;
  private long tenantsEpoch = -1;
  private boolean isShared;

  HostProfiles(ReportedEndpoints endpoints, TenantDirectory tenants) {
    this.endpoints = endpoints;
    this.tenants = tenants;
  }

  /**
   * Follows endpoints and tenants.
   *
   * @param isSharedNow whether endpoints share what their tenant is due
   * @return hosts of which an endpoint or its profile may be another
   */
  Set<HostId> follow(boolean isSharedNow) {
    long endpointsNow = endpoints.epoch().get();
    long tenantsNow = tenants.epoch().get();
    Set<EndpointId> changed =
        tenantsNow == tenantsEpoch && isSharedNow == isShared
            ? endpoints.changedSince(endpointsEpoch).orElseGet(this::all)
            : all();
    endpointsEpoch = endpointsNow;
    tenantsEpoch = tenantsNow;
    isShared = isSharedNow;
    Set<HostId> hosts = new TreeSet<>();
    Set<TenantId> concerned = new HashSet<>();
    for (EndpointId id : changed) {
      hosts.add(id.host());
      take(id, endpoints.endpoint(id).map(tenants::membershipOf), concerned);
    }
    for (TenantId tenant : concerned) {
      Map<EndpointId, Membership> members = byTenant.getOrDefault(tenant, new TreeMap<>());
      double total = members.values().stream().mapToDouble(Membership::weight).sum();
      Double before = totalWeights.put(tenant, total);
      if (isShared && (before == null || before != total)) {
        members.keySet().forEach(id -> hosts.add(id.host()));
      }
    }
    return hosts;
  }

  private Set<EndpointId> all() {
    Set<EndpointId> all = new HashSet<>();
    byHost.values().forEach(members -> all.addAll(members.keySet()));
    endpoints.reported().stream().map(ReportedEndpoint::id).forEach(all::add);
    return all;
  }

  private void take(EndpointId id, Optional<Membership> now, Set<TenantId> concerned) {
    Membership before = byHost.getOrDefault(id.host(), new TreeMap<>()).get(id);
    if (before != null) {
      TenantId tenant = before.tenant().id();
      concerned.add(tenant);
      byHost.get(id.host()).remove(id);
      byTenant.get(tenant).remove(id);
    }
    if (now.isPresent()) {
      TenantId tenant = now.get().tenant().id();
      concerned.add(tenant);
      byHost.computeIfAbsent(id.host(), host -> new TreeMap<>()).put(id, now.get());
      byTenant.computeIfAbsent(tenant, each -> new TreeMap<>()).put(id, now.get());
    }
  }

  /**
   * The profiles of a host's endpoints, by interface, as the host gets them. Where a tenant shares,
   * each has its part of the tenant's by its own weight, as if all siblings were active. That holds
   * until the controller has published what an endpoint weighs at a port, and what its floor is
   * there; and its part of the ceiling ({@link CeilingParts}).
   */
  List<EndpointProfile> ofHost(HostId host) {
    return byHost.getOrDefault(host, new TreeMap<>()).entrySet().stream()
        .map(
            each ->
                ProfileTable.hostProfile(
                    isShared,
                    each.getKey(),
                    each.getValue(),
                    totalWeights.get(each.getValue().tenant().id())))
        .collect(Collectors.toList());
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sluice.api.EndpointId;
import org.sluice.api.Host;
import org.sluice.api.HostDirectory;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.Tenant;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.registry.Capacities;
import org.sluice.core.registry.EndpointLocator;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.engine.law.GuaranteeAdmission;

/** Whether guarantees can be kept on the hosts and edge ports that there are. */
final class TenantAdmission {
  private final ReportedEndpoints endpoints;
  private final EndpointLocator locator;
  private final HostDirectory hosts;
  private final Capacities capacities;

  TenantAdmission(
      ReportedEndpoints endpoints,
      EndpointLocator locator,
      HostDirectory hosts,
      Capacities capacities) {
    this.endpoints = endpoints;
    this.locator = locator;
    this.hosts = hosts;
    this.capacities = capacities;
  }

  /**
   * The admission of tenants as they would be.
   *
   * @param isShared whether a guarantee is a tenant's as a whole
   * @param acceptsLearned whether addresses count that hosts only saw endpoints use
   */
  GuaranteeAdmission of(TenantSnapshot after, boolean isShared, boolean acceptsLearned) {
    Map<PortId, Long> edgePorts = new HashMap<>();
    NicClaims claims = new NicClaims(edgePorts);
    List<GuaranteeAdmission.Demand> demands = new ArrayList<>();
    for (ReportedEndpoint endpoint : endpoints.reported()) {
      EndpointId id = endpoint.id();
      Optional<PortId> port = locator.locate(endpoint);
      port.ifPresent(
          each -> {
            capacities
                .capacity(each)
                .ifPresent(capacity -> edgePorts.put(each, capacity.bitsPerSecond()));
            claims.attached(id.host(), each);
          });
      // Of others only their hosts say that they are there.
      if (port.isPresent() || after.names(id)) {
        Tenant owner = after.membershipOf(endpoint, acceptsLearned).tenant();
        demands.add(
            new GuaranteeAdmission.Demand(id, owner.id(), port, owner.guaranteeBitsPerSecond()));
      }
    }
    Map<HostId, Long> nics = new HashMap<>();
    for (Host host : hosts.hosts()) {
      long nicBitsPerSecond = host.uplinkCapacityBitsPerSecond();
      if (claims.contradicting(host.id(), nicBitsPerSecond) == null) {
        nics.put(host.id(), nicBitsPerSecond);
      }
    }
    return new GuaranteeAdmission(isShared, nics, edgePorts, demands);
  }
}

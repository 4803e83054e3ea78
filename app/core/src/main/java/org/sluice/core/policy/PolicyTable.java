// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.Tenant;
import org.sluice.api.link.EndpointPolicy;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.tenant.TenantDirectory;

/** What every endpoint is due, by endpoint. Immutable. */
public final class PolicyTable {
  private final Map<EndpointId, EndpointPolicy> policies = new TreeMap<>();

  /** The policies of endpoints as their tenants have them. */
  public PolicyTable(List<ReportedEndpoint> endpoints, TenantDirectory tenants) {
    for (ReportedEndpoint endpoint : endpoints) {
      Tenant tenant = tenants.tenantOf(endpoint);
      policies.put(
          endpoint.id(),
          EndpointPolicy.of(
              endpoint.id(),
              tenant.id(),
              tenant.weight(),
              tenant.guaranteeBitsPerSecond(),
              tenant.ceilingBitsPerSecond(),
              tenant.preserveEcn()));
    }
  }

  /** The policy of an endpoint; null if it is none of those. */
  public EndpointPolicy policy(EndpointId endpoint) {
    return policies.get(endpoint);
  }

  /** The policies of a host's endpoints, by interface. */
  List<EndpointPolicy> ofHost(HostId host) {
    List<EndpointPolicy> found = new ArrayList<>();
    policies.forEach(
        (endpoint, policy) -> {
          if (endpoint.host().equals(host)) {
            found.add(policy);
          }
        });
    return found;
  }
}

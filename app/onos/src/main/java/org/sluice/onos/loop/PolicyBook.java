// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.loop;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.Tenant;
import org.sluice.api.link.EndpointPolicy;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.onos.tenant.TenantDirectory;

/** What every endpoint is due, by endpoint. Immutable. */
final class PolicyBook {
  private final Map<EndpointId, EndpointPolicy> policies = new TreeMap<>();

  PolicyBook(List<ReportedEndpoint> endpoints, TenantDirectory tenants) {
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

  EndpointPolicy policy(EndpointId endpoint) {
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

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.why.FlowPort;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.tenant.TenantDirectory;
import org.sluice.engine.deadline.PromiseParts;

/**
 * What part of a port may be promised to each tenant with an endpoint that a switch has seen: its
 * guarantee, and of what all guarantees leave a part by weight. So no tenant's promises, kept or
 * not, take what another one's may be; and no host dilutes the parts by its word alone.
 */
final class TenantParts implements PromiseParts {
  private final ReportedEndpoints endpoints;
  private final TenantDirectory tenants;
  private final UnusedPromises unused;
  private final Map<TenantId, Tenant> all = new HashMap<>();
  private final double weights;
  private final double guaranteesBitsPerSecond;

  TenantParts(DeadlineContext context, UnusedPromises unused) {
    endpoints = context.endpoints;
    tenants = context.tenants;
    this.unused = unused;
    for (ReportedEndpoint endpoint : endpoints.reported()) {
      if (context.locator.locate(endpoint).isPresent()) {
        Tenant tenant = tenants.tenantOf(endpoint);
        all.put(tenant.id(), tenant);
      }
    }
    weights = all.values().stream().mapToDouble(Tenant::weight).sum();
    guaranteesBitsPerSecond =
        all.values().stream().mapToDouble(Tenant::guaranteeBitsPerSecond).sum();
  }

  @Override
  public Optional<TenantId> ownerOf(IpAddress source) {
    return endpoints.holder(source).map(tenants::tenantOf).map(Tenant::id).filter(all::containsKey);
  }

  /** A tenant's ceiling is its own alone. */
  @Override
  public double part(Object owner, PortId port, double payloadBytesPerSecond) {
    if (FlowPaths.kindOf(port) == FlowPort.Kind.CEILING) {
      return 1;
    }
    Tenant tenant = all.get(owner);
    double capacity =
        Math.max(guaranteesBitsPerSecond, PortProfile.frameBitsPerSecond(payloadBytesPerSecond));
    double rest = 1 - guaranteesBitsPerSecond / capacity;
    return tenant.guaranteeBitsPerSecond() / capacity + rest * tenant.weight() / weights;
  }

  @Override
  public double unusedBytes(Object owner, long nowNanos) {
    return unused.bytes((TenantId) owner, nowNanos);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.TenantRateService;
import org.sluice.api.TenantRates;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.setting.Settings;
import org.sluice.engine.control.ScaledFloors;
import org.sluice.engine.traffic.DeliveredTraffic;

/** Promises by what tenants and endpoints there are, beside what the engine saw delivered. */
public final class TenantRateDirectory implements TenantRateService {
  private final Settings settings;
  private final TenantStore tenants;
  private final ReportedEndpoints endpoints;
  private final Supplier<Map<TenantId, DeliveredTraffic>> delivered;
  private final Supplier<List<ScaledFloors>> scaledFloors;

  public TenantRateDirectory(
      Settings settings,
      TenantStore tenants,
      ReportedEndpoints endpoints,
      Supplier<Map<TenantId, DeliveredTraffic>> delivered,
      Supplier<List<ScaledFloors>> scaledFloors) {
    this.scaledFloors = scaledFloors;
    this.settings = settings;
    this.tenants = tenants;
    this.endpoints = endpoints;
    this.delivered = delivered;
  }

  @Override
  public TenantRates rates(TenantId id) {
    long guarantee = tenants.tenant(id).map(Tenant::guaranteeBitsPerSecond).orElse(0L);
    long promises = guarantee == 0 || settings.parameters().sharesAmongTenants() ? 1 : count(id);
    DeliveredTraffic its = delivered.get().getOrDefault(id, DeliveredTraffic.NONE);
    return TenantRates.of(
        guarantee * promises,
        its.bitsPerSecond,
        its.bytes,
        refusedIps(id),
        scaledFloors.get().stream()
            .filter(floors -> floors.tenants().contains(id))
            .collect(
                Collectors.toMap(
                    ScaledFloors::port, ScaledFloors::scale, (a, b) -> a, TreeMap::new)));
  }

  private Map<EndpointId, Set<IpAddress>> refusedIps(TenantId id) {
    Map<EndpointId, Map<IpAddress, String>> refused = endpoints.refused();
    Map<EndpointId, Set<IpAddress>> its = new TreeMap<>();
    if (!refused.isEmpty()) {
      endpoints.reported().stream()
          .filter(endpoint -> refused.containsKey(endpoint.id()))
          .filter(endpoint -> tenants.tenantOf(endpoint).id().equals(id))
          .forEach(endpoint -> its.put(endpoint.id(), refused.get(endpoint.id()).keySet()));
    }
    return its;
  }

  private long count(TenantId id) {
    return endpoints.reported().stream()
        .filter(endpoint -> tenants.tenantOf(endpoint).id().equals(id))
        .count();
  }
}

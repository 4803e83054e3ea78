// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import java.util.Map;
import java.util.function.Supplier;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.TenantRateService;
import org.sluice.api.TenantRates;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.setting.Settings;

/** Promises by what tenants and endpoints there are, beside what the engine saw delivered. */
public final class TenantRateDirectory implements TenantRateService {
  private final Settings settings;
  private final TenantStore tenants;
  private final ReportedEndpoints endpoints;
  private final Supplier<Map<TenantId, Long>> deliveredBitsPerSecond;

  public TenantRateDirectory(
      Settings settings,
      TenantStore tenants,
      ReportedEndpoints endpoints,
      Supplier<Map<TenantId, Long>> deliveredBitsPerSecond) {
    this.settings = settings;
    this.tenants = tenants;
    this.endpoints = endpoints;
    this.deliveredBitsPerSecond = deliveredBitsPerSecond;
  }

  @Override
  public TenantRates rates(TenantId id) {
    long guarantee = tenants.tenant(id).map(Tenant::guaranteeBitsPerSecond).orElse(0L);
    long promises = guarantee == 0 || settings.parameters().sharesAmongTenants() ? 1 : count(id);
    return TenantRates.of(guarantee * promises, deliveredBitsPerSecond.get().getOrDefault(id, 0L));
  }

  private long count(TenantId id) {
    return endpoints.reported().stream()
        .filter(endpoint -> tenants.tenantOf(endpoint).id().equals(id))
        .count();
  }
}

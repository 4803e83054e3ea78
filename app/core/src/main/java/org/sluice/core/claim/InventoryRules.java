// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.claim;

import java.util.Optional;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.TenantId;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.registry.ClaimRules;
import org.sluice.core.spi.Inventory;
import org.sluice.core.tenant.TenantDirectory;

/**
 * What an operator wrote down goes before any claim: gateways are nobody's, an address that the
 * inventory gives to somebody is that one's, and an endpoint that a tenant's members name does not
 * get what lies in another tenant's prefix.
 */
final class InventoryRules implements ClaimRules {
  private final Inventory inventory;
  private final TenantDirectory tenants;

  InventoryRules(Inventory inventory, TenantDirectory tenants) {
    this.inventory = inventory;
    this.tenants = tenants;
  }

  @Override
  public Optional<String> objection(ReportedEndpoint endpoint, IpAddress ip) {
    if (inventory.gateways().contains(ip)) {
      return Optional.of("the configuration assigns it to a gateway");
    }
    EndpointId owner = inventory.endpoints().get(ip);
    if (owner != null && !owner.equals(endpoint.id())) {
      return Optional.of("the configuration assigns it to " + owner);
    }
    MacAddress mac = inventory.macs().get(ip);
    if (mac != null && !mac.equals(endpoint.mac())) {
      return Optional.of("the configuration assigns it to MAC " + mac);
    }
    return tenants.namedTenantOf(endpoint).flatMap(tenant -> objection(tenant, ip));
  }

  @Override
  public boolean assigns(IpAddress ip) {
    return inventory.endpoints().containsKey(ip) || inventory.macs().containsKey(ip);
  }

  private Optional<String> objection(TenantId tenant, IpAddress ip) {
    return tenants
        .tenantOfPrefix(ip)
        .filter(other -> !other.equals(tenant))
        .map(
            other ->
                "it belongs to a member of tenant "
                    + other
                    + ", and the endpoint is one of "
                    + tenant);
  }
}

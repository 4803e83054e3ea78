// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import java.util.List;
import java.util.Map;
import org.sluice.api.PortId;
import org.sluice.api.Tenant;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.Inventory;
import org.sluice.core.spi.OperatorConfiguration;

/** An operator who wrote nothing into the platform's own configuration. */
final class NoConfiguration implements OperatorConfiguration {
  private final Epoch epoch = new Epoch();

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Map<PortId, Long> capacitiesBitsPerSecond() {
    return Map.of();
  }

  @Override
  public Inventory inventory() {
    return Inventory.EMPTY;
  }

  @Override
  public Epoch tenantsEpoch() {
    return epoch;
  }

  @Override
  public List<Tenant> tenants() {
    return List.of();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.sluice.api.PortId;
import org.sluice.api.Tenant;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.Inventory;
import org.sluice.core.spi.OperatorConfiguration;
import org.sluice.core.testing.Samples;

/** A network configuration that a test writes. */
public final class FakeConfiguration implements OperatorConfiguration {
  private final Map<PortId, Long> capacities = new ConcurrentHashMap<>();
  private final Epoch epoch = new Epoch();
  private final Epoch tenantsEpoch = new Epoch();

  /** An operator configures a port's capacity. */
  public void setCapacity(String port, long bitsPerSecond) {
    capacities.put(Samples.port(port), bitsPerSecond);
    epoch.advance();
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Map<PortId, Long> capacitiesBitsPerSecond() {
    return Map.copyOf(capacities);
  }

  @Override
  public Inventory inventory() {
    return Inventory.EMPTY;
  }

  @Override
  public Epoch tenantsEpoch() {
    return tenantsEpoch;
  }

  @Override
  public List<Tenant> tenants() {
    return List.of();
  }
}

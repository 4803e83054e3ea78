// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.port;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus.CapacitySource;
import org.sluice.core.testing.MemoryNetwork;

class PortRegistryTest {
  private static final PortId PORT = port("s1/5");

  private final MemoryNetwork network = new MemoryNetwork();
  private final PortRegistry registry = new PortRegistry(network, network);

  @BeforeEach
  void start() {
    registry.start();
    network.connect("s1", 1, 5);
  }

  @Test
  void capacityIsTheReportedPortSpeed() {
    assertThat(registry.all()).hasSize(2);
    Capacities.Capacity capacity = registry.capacity(PORT).orElseThrow();
    assertThat(capacity.bitsPerSecond()).isEqualTo(1_000_000_000);
    assertThat(capacity.source()).isEqualTo(CapacitySource.SWITCH);
  }

  @Test
  void configuredCapacityOverridesThePortSpeed() {
    long epoch = registry.epoch().get();

    network.setCapacity("s1/5", 50_000_000);

    assertThat(registry.capacity(PORT).orElseThrow().bitsPerSecond()).isEqualTo(50_000_000);
    assertThat(registry.capacity(PORT).orElseThrow().source()).isEqualTo(CapacitySource.CONFIGURED);
    assertThat(registry.epoch().get()).isGreaterThan(epoch);
  }

  @Test
  void portSpeedAppliesOnceTheConfigurationIsRemoved() {
    network.setCapacity("s1/5", 50_000_000);
    network.clearCapacity("s1/5");

    assertThat(registry.capacity(PORT).orElseThrow().source()).isEqualTo(CapacitySource.SWITCH);
  }

  @Test
  void portWithoutCapacityIsNotControlled() {
    network.setSpeed("s1/5", 0);

    assertThat(registry.capacity(PORT)).isEmpty();
  }

  @Test
  void disconnectedSwitchHasNoPorts() {
    network.disconnect("s1");

    assertThat(registry.all()).isEmpty();
    assertThat(registry.capacity(PORT)).isEmpty();
  }

  @Test
  void unchangedPortsKeepTheEpoch() {
    long epoch = registry.epoch().get();

    network.epoch().advance();

    assertThat(registry.epoch().get()).isEqualTo(epoch);
  }

  @Test
  void stoppedRegistryIgnoresChanges() {
    registry.stop();
    network.disconnect("s1");

    assertThat(registry.all()).hasSize(2);
  }
}

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
  void aPortIsAsFastAsItsSwitchReports() {
    assertThat(registry.all()).hasSize(2);
    Capacities.Capacity capacity = registry.capacity(PORT).orElseThrow();
    assertThat(capacity.bitsPerSecond()).isEqualTo(1_000_000_000);
    assertThat(capacity.source()).isEqualTo(CapacitySource.SWITCH);
  }

  @Test
  void whatIsConfiguredCountsMore() {
    long epoch = registry.epoch().get();

    network.setCapacity("s1/5", 50_000_000);

    assertThat(registry.capacity(PORT).orElseThrow().bitsPerSecond()).isEqualTo(50_000_000);
    assertThat(registry.capacity(PORT).orElseThrow().source()).isEqualTo(CapacitySource.CONFIGURED);
    assertThat(registry.epoch().get()).isGreaterThan(epoch);
  }

  @Test
  void whatIsNoLongerConfiguredIsAsTheSwitchReports() {
    network.setCapacity("s1/5", 50_000_000);
    network.clearCapacity("s1/5");

    assertThat(registry.capacity(PORT).orElseThrow().source()).isEqualTo(CapacitySource.SWITCH);
  }

  @Test
  void aPortWithoutSpeedIsNotControlled() {
    network.setSpeed("s1/5", 0);

    assertThat(registry.capacity(PORT)).isEmpty();
  }

  @Test
  void aSwitchThatIsAwayHasNoPorts() {
    network.disconnect("s1");

    assertThat(registry.all()).isEmpty();
    assertThat(registry.capacity(PORT)).isEmpty();
  }

  @Test
  void nothingNewIsNoNewEpoch() {
    long epoch = registry.epoch().get();

    network.epoch().advance();

    assertThat(registry.epoch().get()).isEqualTo(epoch);
  }

  @Test
  void aStoppedOneFollowsNothing() {
    registry.stop();
    network.disconnect("s1");

    assertThat(registry.all()).hasSize(2);
  }
}

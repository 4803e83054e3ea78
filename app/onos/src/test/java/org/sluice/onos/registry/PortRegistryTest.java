// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.onos.testing.Waiting.until;

import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus.CapacitySource;
import org.sluice.onos.config.ConfiguredCapacities;
import org.sluice.onos.testing.OnosWorld;
import org.sluice.onos.topology.Epoch;

class PortRegistryTest {
  private static final PortId PORT = PortId.parse("of:0000000000000001/5");

  private final OnosWorld world = new OnosWorld();
  private final Epoch configEpoch = new Epoch();
  private final PortRegistry registry = new PortRegistry();
  private Map<PortId, Long> configured = Map.of();

  @BeforeEach
  void start() {
    registry.devices = world.devices;
    registry.configured =
        new ConfiguredCapacities() {
          @Override
          public Epoch epoch() {
            return configEpoch;
          }

          @Override
          public Map<PortId, Long> capacitiesBitsPerSecond() {
            return configured;
          }
        };
    registry.activate();
  }

  @AfterEach
  void stop() {
    registry.deactivate();
    world.close();
  }

  @Test
  void aPortIsAsFastAsItsSwitchSays() {
    world.switches.connect("s1", 1, 5);

    until(() -> assertThat(registry.all()).hasSize(2));
    Capacities.Capacity capacity = registry.capacity(PORT).orElseThrow();
    assertThat(capacity.bitsPerSecond()).isEqualTo(1_000_000_000);
    assertThat(capacity.source()).isEqualTo(CapacitySource.SWITCH);
  }

  @Test
  void theOperatorsWordCountsMoreAndItsWithdrawalToo() {
    world.switches.connect("s1", 1, 5);
    until(() -> assertThat(registry.all()).hasSize(2));
    long epoch = registry.epoch().get();

    configured = Map.of(PORT, 50_000_000L);
    configEpoch.advance();
    assertThat(registry.capacity(PORT).orElseThrow().bitsPerSecond()).isEqualTo(50_000_000);
    assertThat(registry.capacity(PORT).orElseThrow().source()).isEqualTo(CapacitySource.CONFIGURED);
    assertThat(registry.epoch().get()).isGreaterThan(epoch);

    configured = Map.of();
    configEpoch.advance();
    assertThat(registry.capacity(PORT).orElseThrow().source()).isEqualTo(CapacitySource.SWITCH);
  }

  @Test
  void aSwitchThatIsAwayHasNoPorts() {
    world.switches.connect("s1", 1, 5);
    until(() -> assertThat(registry.all()).hasSize(2));

    world.switches.disconnect("s1");

    until(() -> assertThat(registry.all()).isEmpty());
    assertThat(registry.capacity(PORT)).isEmpty();
  }

  @Test
  void nothingNewIsNoNewEpoch() {
    world.switches.connect("s1", 1, 5);
    until(() -> assertThat(registry.all()).hasSize(2));
    long epoch = registry.epoch().get();

    configEpoch.advance();

    assertThat(registry.epoch().get()).isEqualTo(epoch);
  }
}

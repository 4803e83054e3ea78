// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sluice.api.link.UnitShare;

/** Hosts that are reached through a controlled port hear its share, to pass it on. */
class ReachedHostsTest {
  private static EngineFixture flooded() {
    EngineFixture rig = EngineFixture.dumbbell(4);
    for (int n = 1; n <= 4; n++) {
      rig.traffic(n, 9, 20, 1);
    }
    return rig.tick();
  }

  private static UnitShare only(EngineFixture rig, int host) {
    assertThat(rig.sharesToPassOn).hasSize(1);
    assertThat(rig.sharesToPassOn.get(0).host).isEqualTo(EngineFixture.host(host));
    return rig.sharesToPassOn.get(0).message;
  }

  @Test
  void theReceiversHostHearsWithTheSources() {
    UnitShare share = only(flooded(), 9);
    assertThat(share.reached()).containsExactly(EngineFixture.ip(9));
    assertThat(share.endpoints()).isEmpty();
    assertThat(share.unitShareBitsPerSecond()).isEqualTo(12_500_000);
    assertThat(share.activeWeight()).isEqualTo(4);
  }

  @Test
  void itHearsOfChangesAndRefreshes() {
    EngineFixture rig = flooded();
    rig.endpointAt(1, 2).tick();
    assertThat(only(rig, 9).unitShareBitsPerSecond()).isEqualTo(10_000_000);
    for (int i = 0; i < 25; i++) {
      rig.traffic(1, 9, 20, 1).tick();
      if (!rig.sharesToPassOn.isEmpty()) {
        return;
      }
    }
    throw new AssertionError("no refresh within 125 ms");
  }

  @Test
  void aHostOnBothSidesHearsOnce() {
    EngineFixture rig = EngineFixture.dumbbell(4).path(9, 1, 1);
    for (int n = 1; n <= 4; n++) {
      rig.traffic(n, 9, 20, 1);
    }
    rig.traffic(9, 1, 5, 0).tick();
    UnitShare both =
        rig.shares.stream()
            .filter(told -> told.host.equals(EngineFixture.host(9)))
            .map(told -> told.message)
            .findFirst()
            .orElseThrow();
    assertThat(both.endpoints()).hasSize(1);
    assertThat(both.reached()).containsExactly(EngineFixture.ip(9));
    assertThat(rig.shares).hasSize(5);
  }

  @Test
  void aNewDestinationIsToldToItsHost() {
    EngineFixture rig = flooded().endpointAt(8).path(1, 8, 1).traffic(1, 8, 5, 0).tick();
    assertThat(rig.sharesToPassOn).hasSize(1);
    assertThat(rig.sharesToPassOn.get(0).host).isEqualTo(EngineFixture.host(8));
    assertThat(rig.sharesToPassOn.get(0).message.reached()).isEqualTo(Set.of(EngineFixture.ip(8)));
  }

  @Test
  void whenControlEndsItHearsThatToo() {
    EngineFixture rig = flooded();
    rig.engine.removePort(EngineFixture.port(1));
    rig.tick();
    assertThat(only(rig, 9).expired()).isTrue();
  }
}

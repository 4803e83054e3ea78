// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sluice.api.link.UnitShare;

/** Hosts that are reached through a controlled port get its share, to relay it. */
class ReachedHostsTest {
  private static EngineFixture flooded() {
    EngineFixture fixture = EngineFixture.dumbbell(4);
    for (int n = 1; n <= 4; n++) {
      fixture.traffic(n, 9, 20, 1);
    }
    return fixture.tick();
  }

  private static UnitShare only(EngineFixture fixture, int host) {
    assertThat(fixture.sharesToRelay).hasSize(1);
    assertThat(fixture.sharesToRelay.get(0).host).isEqualTo(EngineFixture.host(host));
    return fixture.sharesToRelay.get(0).message;
  }

  @Test
  void receiversHostGetsTheShareWhenSourcesDo() {
    UnitShare share = only(flooded(), 9);
    assertThat(share.reached()).containsExactly(EngineFixture.ip(9));
    assertThat(share.endpoints()).isEmpty();
    assertThat(share.unitShareBitsPerSecond()).isEqualTo(12_500_000);
    assertThat(share.activeWeight()).isEqualTo(4);
  }

  @Test
  void receiversHostGetsChangesAndRefreshes() {
    EngineFixture fixture = flooded();
    fixture.endpointAt(1, 2).tick();
    assertThat(only(fixture, 9).unitShareBitsPerSecond()).isEqualTo(10_000_000);
    for (int i = 0; i < 25; i++) {
      fixture.traffic(1, 9, 20, 1).tick();
      if (!fixture.sharesToRelay.isEmpty()) {
        return;
      }
    }
    throw new AssertionError("no refresh within 125 ms");
  }

  @Test
  void hostOfSourceAndReceiverGetsTheShareOnce() {
    EngineFixture fixture = EngineFixture.dumbbell(4).path(9, 1, 1);
    for (int n = 1; n <= 4; n++) {
      fixture.traffic(n, 9, 20, 1);
    }
    fixture.traffic(9, 1, 5, 0).tick();
    UnitShare both =
        fixture.shares.stream()
            .filter(sent -> sent.host.equals(EngineFixture.host(9)))
            .map(sent -> sent.message)
            .findFirst()
            .orElseThrow();
    assertThat(both.endpoints()).hasSize(1);
    assertThat(both.reached()).containsExactly(EngineFixture.ip(9));
    assertThat(fixture.shares).hasSize(5);
  }

  @Test
  void shareIsPublishedToTheHostOfANewDestination() {
    EngineFixture fixture = flooded().endpointAt(8).path(1, 8, 1).traffic(1, 8, 5, 0).tick();
    assertThat(fixture.sharesToRelay).hasSize(1);
    assertThat(fixture.sharesToRelay.get(0).host).isEqualTo(EngineFixture.host(8));
    assertThat(fixture.sharesToRelay.get(0).message.reached())
        .isEqualTo(Set.of(EngineFixture.ip(8)));
  }

  /** Only a floor changes at the port when next it is evaluated, and no pair. */
  @Test
  void shareFollowsAMovedDestination() {
    EngineFixture fixture = flooded();
    fixture.engine.removeEndpoint(EngineFixture.endpoint(9));
    fixture.engine.putEndpoint(EngineFixture.profile(8, 1, 0, 0), Set.of(EngineFixture.ip(9)));
    fixture.engine.putEndpoint(
        EngineFixture.profile(1, 1, 5_000_000, 0), Set.of(EngineFixture.ip(1)));
    fixture.tick();
    assertThat(fixture.sharesToRelay)
        .anySatisfy(
            sent -> {
              assertThat(sent.host).isEqualTo(EngineFixture.host(8));
              assertThat(sent.message.reached()).containsExactly(EngineFixture.ip(9));
            })
        .anySatisfy(
            sent -> {
              assertThat(sent.host).isEqualTo(EngineFixture.host(9));
              assertThat(sent.message.expired()).isTrue();
            });
  }

  @Test
  void endOfControlIsPublishedToTheReceiversHost() {
    EngineFixture fixture = flooded();
    fixture.engine.removePort(EngineFixture.port(1));
    fixture.tick();
    assertThat(only(fixture, 9).expired()).isTrue();
  }
}

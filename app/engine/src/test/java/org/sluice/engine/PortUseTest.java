// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.engine.EngineFixture.endpoint;
import static org.sluice.engine.EngineFixture.port;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.engine.control.PortUse;
import org.sluice.engine.control.PortUser;

/** Who sends through a port of 50 Mbit/s, and what another weight would come to there. */
class PortUseTest {
  private static final double PERCENT = 0.01;

  private final EngineFixture fixture = EngineFixture.dumbbell(3);

  /** So many packets of each sender arrive in every T_i, 2.4 Mbit/s each; a third are marked. */
  private void send(long millis, int... packets) {
    for (long passed = 0; passed < millis; passed += 5) {
      for (int n = 1; n <= packets.length; n++) {
        if (packets[n - 1] > 0) {
          fixture.traffic(n, 9, packets[n - 1], (packets[n - 1] + 2) / 3);
        }
      }
      fixture.tick();
    }
    fixture.engine.measure();
  }

  @Test
  void listsAllSendersThroughThePortWithTheirRates() {
    send(500, 12, 6, 3);
    List<PortUse> uses = fixture.engine.uses(endpoint(2));
    assertThat(uses).extracting(PortUse::port).containsExactly(port(1));
    assertThat(uses.get(0).users())
        .extracting(PortUser::endpoint)
        .containsExactly(endpoint(1), endpoint(2), endpoint(3));
    assertThat(uses.get(0).users().get(0).takenBitsPerSecond() / 1e6).isCloseTo(28.8, within(1.5));
    assertThat(uses.get(0).users().get(2).takenBitsPerSecond() / 1e6).isCloseTo(7.2, within(1.0));
  }

  @Test
  void doubleWeightHasTwoOfFourParts() {
    send(500, 7, 7, 7);
    PortUse use = fixture.engine.uses(endpoint(1)).get(0);
    assertThat(use.dueBitsPerSecond() / 50e6).isCloseTo(1.0 / 3, within(PERCENT));
    assertThat(use.dueOfTwiceTheWeightBitsPerSecond() / 50e6).isCloseTo(0.5, within(PERCENT));
    assertThat(fixture.engine.uses(endpoint(1)).get(0).dueBitsPerSecond())
        .as("a query changes nothing")
        .isEqualTo(use.dueBitsPerSecond());
  }

  @Test
  void isEmptyForIdleAndUnknownEndpoints() {
    send(500, 20, 0, 1);
    assertThat(fixture.engine.uses(endpoint(2))).isEmpty();
    assertThat(fixture.engine.uses(endpoint(77))).isEmpty();
  }
}

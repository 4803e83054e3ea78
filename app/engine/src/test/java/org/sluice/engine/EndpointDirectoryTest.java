// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sluice.api.JournalEntry;
import org.sluice.api.JournalEntry.Kind;
import org.sluice.api.PortStatus.CapacitySource;
import org.sluice.engine.statistics.EngineStatistics.Figure;

class EndpointDirectoryTest {

  private static void put(EngineFixture rig, int n, int... addresses) {
    Set<org.sluice.api.IpAddress> ips = new java.util.HashSet<>();
    for (int address : addresses) {
      ips.add(EngineFixture.ip(address));
    }
    rig.engine.putEndpoint(EngineFixture.policy(n, 1, 0, 0), ips);
  }

  @Test
  void firstClaimHoldsAndTheSecondIsJournaledOnce() {
    EngineFixture rig = new EngineFixture();
    put(rig, 1, 50);
    put(rig, 2, 50, 51);
    put(rig, 2, 50, 51);
    rig.tick().tick();
    assertThat(rig.engine.holderOf(EngineFixture.ip(50))).contains(EngineFixture.endpoint(1));
    assertThat(rig.engine.holderOf(EngineFixture.ip(51))).contains(EngineFixture.endpoint(2));
    assertThat(rig.figure(Figure.CLAIMS_REFUSED)).isEqualTo(1);
    assertThat(rig.journaled(Kind.REFUSED)).hasSize(1);
    JournalEntry entry = rig.journaled(Kind.REFUSED).get(0);
    assertThat(entry.endpoint()).contains(EngineFixture.endpoint(2));
    assertThat(entry.decision()).isEqualTo("address 10.0.0.51 stays with h1/vm0");
    assertThat(entry.evidence()).isEqualTo("h2/vm0 claims 10.0.0.51, which h1/vm0 claimed first");
  }

  @Test
  void addressGivenUpGoesToAnotherClaimant() {
    EngineFixture rig = new EngineFixture();
    put(rig, 1, 50);
    put(rig, 3, 50);
    put(rig, 2, 50);
    put(rig, 1);
    assertThat(rig.engine.holderOf(EngineFixture.ip(50))).contains(EngineFixture.endpoint(2));
    rig.engine.removeEndpoint(EngineFixture.endpoint(2));
    assertThat(rig.engine.holderOf(EngineFixture.ip(50))).contains(EngineFixture.endpoint(3));
    rig.engine.removeEndpoint(EngineFixture.endpoint(3));
    assertThat(rig.engine.holderOf(EngineFixture.ip(50))).isEmpty();
  }

  @Test
  void impostorIsNotBelieved() {
    EngineFixture rig = EngineFixture.dumbbell(2);
    put(rig, 2, 1, 2);
    rig.observe(2, EngineFixture.sent(1, 9, 10)).tick();
    assertThat(rig.figure(Figure.SAMPLES_FOREIGN)).isEqualTo(1);
  }

  @Test
  void trafficOfAMovedAddressIsItsNewHolders() {
    EngineFixture rig =
        EngineFixture.dumbbell(1).endpointAt(2).path(2, 9, 1, 2).traffic(1, 9, 10, 1).tick();
    rig.engine.removeEndpoint(EngineFixture.endpoint(1));
    rig.engine.putEndpoint(EngineFixture.policy(2, 1, 0, 0), Set.of(EngineFixture.ip(1)));
    rig.observe(2, EngineFixture.sent(1, 9, 10))
        .observe(9, EngineFixture.received(1, 9, 10, 1))
        .tick();
    assertThat(rig.sharesTo(1)).hasSize(1).allMatch(share -> share.expired());
    assertThat(rig.sharesTo(2).get(0).endpoints().get(0).endpoint())
        .isEqualTo(EngineFixture.endpoint(2));
    assertThat(rig.status(1).activeEndpoints()).isEqualTo(1);
  }

  @Test
  void keptAddressOfAChangedEndpointWorksOn() {
    EngineFixture rig = EngineFixture.dumbbell(1).traffic(1, 9, 10, 0).tick();
    rig.engine.putEndpoint(
        EngineFixture.policy(1, 1, 0, 0), Set.of(EngineFixture.ip(1), EngineFixture.ip(60)));
    assertThat(rig.figure(Figure.ACTIVE_PAIRS)).isEqualTo(1);
    rig.engine.putEndpoint(EngineFixture.policy(1, 1, 0, 0), Set.of(EngineFixture.ip(1)));
    rig.traffic(1, 9, 10, 0).tick();
    assertThat(rig.figure(Figure.ACTIVE_PAIRS)).isEqualTo(1);
    assertThat(rig.status(1).activeEndpoints()).isEqualTo(1);
  }

  @Test
  void unknownEndpointCanBeForgotten() {
    EngineFixture rig = new EngineFixture();
    rig.engine.removeEndpoint(EngineFixture.endpoint(1));
    rig.engine.removePort(EngineFixture.port(1));
    assertThat(rig.engine.portStatuses()).isEmpty();
  }

  @Test
  void senselessFiguresAreRefusedWithTheirNames() {
    EngineFixture rig = new EngineFixture();
    assertThatThrownBy(() -> rig.engine.putHost(EngineFixture.host(1), 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("host h1")
        .hasMessageContaining("not 0");
    assertThatThrownBy(() -> rig.engine.putPort(EngineFixture.port(4), -1, CapacitySource.SWITCH))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("port s/4")
        .hasMessageContaining("not -1");
    assertThatThrownBy(
            () ->
                rig.engine.putEndpoint(
                    EngineFixture.policy(1, Double.NaN, 0, 0), Set.of(EngineFixture.ip(1))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("h1/vm0")
        .hasMessageContaining("NaN");
    assertThat(rig.engine.holderOf(EngineFixture.ip(1))).as("nothing half-applied").isEmpty();
  }
}

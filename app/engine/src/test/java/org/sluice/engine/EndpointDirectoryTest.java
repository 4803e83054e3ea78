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

  private static void put(Rig rig, int n, int... addresses) {
    Set<org.sluice.api.IpAddress> ips = new java.util.HashSet<>();
    for (int address : addresses) {
      ips.add(Rig.ip(address));
    }
    rig.engine.putEndpoint(Rig.policy(n, 1, 0, 0), ips);
  }

  @Test
  void firstClaimHoldsAndTheSecondIsJournaledOnce() {
    Rig rig = new Rig();
    put(rig, 1, 50);
    put(rig, 2, 50, 51);
    put(rig, 2, 50, 51);
    rig.tick().tick();
    assertThat(rig.engine.holderOf(Rig.ip(50))).contains(Rig.endpoint(1));
    assertThat(rig.engine.holderOf(Rig.ip(51))).contains(Rig.endpoint(2));
    assertThat(rig.figure(Figure.CLAIMS_REFUSED)).isEqualTo(1);
    assertThat(rig.journaled(Kind.REFUSED)).hasSize(1);
    JournalEntry entry = rig.journaled(Kind.REFUSED).get(0);
    assertThat(entry.endpoint()).contains(Rig.endpoint(2));
    assertThat(entry.decision()).isEqualTo("address 10.0.0.51 stays with h1/vm0");
    assertThat(entry.evidence()).isEqualTo("h2/vm0 claims 10.0.0.51, which h1/vm0 claimed first");
  }

  @Test
  void addressGivenUpGoesToAnotherClaimant() {
    Rig rig = new Rig();
    put(rig, 1, 50);
    put(rig, 3, 50);
    put(rig, 2, 50);
    put(rig, 1);
    assertThat(rig.engine.holderOf(Rig.ip(50))).contains(Rig.endpoint(2));
    rig.engine.removeEndpoint(Rig.endpoint(2));
    assertThat(rig.engine.holderOf(Rig.ip(50))).contains(Rig.endpoint(3));
    rig.engine.removeEndpoint(Rig.endpoint(3));
    assertThat(rig.engine.holderOf(Rig.ip(50))).isEmpty();
  }

  @Test
  void impostorIsNotBelieved() {
    Rig rig = Rig.dumbbell(2);
    put(rig, 2, 1, 2);
    rig.observe(2, Rig.sent(1, 9, 10)).tick();
    assertThat(rig.figure(Figure.SAMPLES_FOREIGN)).isEqualTo(1);
  }

  @Test
  void trafficOfAMovedAddressIsItsNewHolders() {
    Rig rig = Rig.dumbbell(1).endpointAt(2).path(2, 9, 1, 2).traffic(1, 9, 10, 1).tick();
    rig.engine.removeEndpoint(Rig.endpoint(1));
    rig.engine.putEndpoint(Rig.policy(2, 1, 0, 0), Set.of(Rig.ip(1)));
    rig.observe(2, Rig.sent(1, 9, 10)).observe(9, Rig.received(1, 9, 10, 1)).tick();
    assertThat(rig.sharesTo(1)).hasSize(1).allMatch(share -> share.expired());
    assertThat(rig.sharesTo(2).get(0).endpoints().get(0).endpoint()).isEqualTo(Rig.endpoint(2));
    assertThat(rig.status(1).activeEndpoints()).isEqualTo(1);
  }

  @Test
  void keptAddressOfAChangedEndpointWorksOn() {
    Rig rig = Rig.dumbbell(1).traffic(1, 9, 10, 0).tick();
    rig.engine.putEndpoint(Rig.policy(1, 1, 0, 0), Set.of(Rig.ip(1), Rig.ip(60)));
    assertThat(rig.figure(Figure.ACTIVE_PAIRS)).isEqualTo(1);
    rig.engine.putEndpoint(Rig.policy(1, 1, 0, 0), Set.of(Rig.ip(1)));
    rig.traffic(1, 9, 10, 0).tick();
    assertThat(rig.figure(Figure.ACTIVE_PAIRS)).isEqualTo(1);
    assertThat(rig.status(1).activeEndpoints()).isEqualTo(1);
  }

  @Test
  void unknownEndpointCanBeForgotten() {
    Rig rig = new Rig();
    rig.engine.removeEndpoint(Rig.endpoint(1));
    rig.engine.removePort(Rig.port(1));
    assertThat(rig.engine.portStatuses()).isEmpty();
  }

  @Test
  void senselessFiguresAreRefusedWithTheirNames() {
    Rig rig = new Rig();
    assertThatThrownBy(() -> rig.engine.putHost(Rig.host(1), 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("host h1")
        .hasMessageContaining("not 0");
    assertThatThrownBy(() -> rig.engine.putPort(Rig.port(4), -1, CapacitySource.SWITCH))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("port s/4")
        .hasMessageContaining("not -1");
    assertThatThrownBy(
            () -> rig.engine.putEndpoint(Rig.policy(1, Double.NaN, 0, 0), Set.of(Rig.ip(1))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("h1/vm0")
        .hasMessageContaining("NaN");
    assertThat(rig.engine.holderOf(Rig.ip(1))).as("nothing half-applied").isEmpty();
  }
}

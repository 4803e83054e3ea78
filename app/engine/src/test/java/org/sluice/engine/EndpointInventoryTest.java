// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sluice.api.JournalEntry;
import org.sluice.api.JournalEntry.Kind;
import org.sluice.api.PortStatus.CapacitySource;
import org.sluice.engine.statistics.EngineStatistics.Figure;

class EndpointInventoryTest {

  private static void put(EngineFixture fixture, int n, int... addresses) {
    Set<org.sluice.api.IpAddress> ips = new java.util.HashSet<>();
    for (int address : addresses) {
      ips.add(EngineFixture.ip(address));
    }
    fixture.engine.putEndpoint(EngineFixture.profile(n, 1, 0, 0), ips);
  }

  @Test
  void firstClaimHoldsAndTheSecondIsJournaledOnce() {
    EngineFixture fixture = new EngineFixture();
    put(fixture, 1, 50);
    put(fixture, 2, 50, 51);
    put(fixture, 2, 50, 51);
    fixture.tick().tick();
    assertThat(fixture.engine.holderOf(EngineFixture.ip(50))).contains(EngineFixture.endpoint(1));
    assertThat(fixture.engine.holderOf(EngineFixture.ip(51))).contains(EngineFixture.endpoint(2));
    assertThat(fixture.figure(Figure.CLAIMS_REFUSED)).isEqualTo(1);
    assertThat(fixture.journaled(Kind.REFUSED)).hasSize(1);
    JournalEntry entry = fixture.journaled(Kind.REFUSED).get(0);
    assertThat(entry.endpoint()).contains(EngineFixture.endpoint(2));
    assertThat(entry.decision()).isEqualTo("address 10.0.0.51 stays with h1/vm0");
    assertThat(entry.evidence()).isEqualTo("h2/vm0 claims 10.0.0.51, which h1/vm0 claimed first");
  }

  @Test
  void releasedAddressGoesToAnotherClaimant() {
    EngineFixture fixture = new EngineFixture();
    put(fixture, 1, 50);
    put(fixture, 3, 50);
    put(fixture, 2, 50);
    put(fixture, 1);
    assertThat(fixture.engine.holderOf(EngineFixture.ip(50))).contains(EngineFixture.endpoint(2));
    fixture.engine.removeEndpoint(EngineFixture.endpoint(2));
    assertThat(fixture.engine.holderOf(EngineFixture.ip(50))).contains(EngineFixture.endpoint(3));
    fixture.engine.removeEndpoint(EngineFixture.endpoint(3));
    assertThat(fixture.engine.holderOf(EngineFixture.ip(50))).isEmpty();
  }

  /** In time that grows with their number: each was compared with every endpoint's once. */
  @Test
  void manyAddressesAreAddedAndRemoved() {
    EngineFixture fixture = new EngineFixture();
    int endpoints = 3900;
    for (int round = 0; round < 2; round++) {
      for (int n = 0; n < endpoints; n++) {
        int[] addresses = IntStream.range(16 * n, 16 * n + 16).toArray();
        put(fixture, n, round == 0 ? addresses : new int[0]);
      }
      assertThat(fixture.engine.holderOf(EngineFixture.ip(16 * endpoints - 1)).isPresent())
          .isEqualTo(round == 0);
    }
    assertThat(fixture.engine.state.addresses.size()).isZero();
  }

  @Test
  void samplesOfAClaimantWithoutTheAddressAreIgnored() {
    EngineFixture fixture = EngineFixture.dumbbell(2);
    put(fixture, 2, 1, 2);
    fixture.observe(2, EngineFixture.sent(1, 9, 10)).tick();
    assertThat(fixture.figure(Figure.SAMPLES_FOREIGN)).isEqualTo(1);
  }

  @Test
  void trafficOfAMovedAddressBelongsToItsNewHolder() {
    EngineFixture fixture =
        EngineFixture.dumbbell(1).endpointAt(2).path(2, 9, 1, 2).traffic(1, 9, 10, 1).tick();
    fixture.engine.removeEndpoint(EngineFixture.endpoint(1));
    fixture.engine.putEndpoint(EngineFixture.profile(2, 1, 0, 0), Set.of(EngineFixture.ip(1)));
    fixture
        .observe(2, EngineFixture.sent(1, 9, 10))
        .observe(9, EngineFixture.received(1, 9, 10, 1))
        .tick();
    assertThat(fixture.sharesTo(1)).hasSize(1).allMatch(share -> share.expired());
    assertThat(fixture.sharesTo(2).get(0).endpoints().get(0).endpoint())
        .isEqualTo(EngineFixture.endpoint(2));
    assertThat(fixture.status(1).activeEndpoints()).isEqualTo(1);
  }

  @Test
  void unchangedAddressOfAChangedEndpointStaysValid() {
    EngineFixture fixture = EngineFixture.dumbbell(1).traffic(1, 9, 10, 0).tick();
    fixture.engine.putEndpoint(
        EngineFixture.profile(1, 1, 0, 0), Set.of(EngineFixture.ip(1), EngineFixture.ip(60)));
    assertThat(fixture.figure(Figure.ACTIVE_PAIRS)).isEqualTo(1);
    fixture.engine.putEndpoint(EngineFixture.profile(1, 1, 0, 0), Set.of(EngineFixture.ip(1)));
    fixture.traffic(1, 9, 10, 0).tick();
    assertThat(fixture.figure(Figure.ACTIVE_PAIRS)).isEqualTo(1);
    assertThat(fixture.status(1).activeEndpoints()).isEqualTo(1);
  }

  @Test
  void removalOfAnUnknownEndpointIsIgnored() {
    EngineFixture fixture = new EngineFixture();
    fixture.engine.removeEndpoint(EngineFixture.endpoint(1));
    fixture.engine.removePort(EngineFixture.port(1));
    assertThat(fixture.engine.portStatuses()).isEmpty();
  }

  @Test
  void invalidArgumentsAreRejectedByName() {
    EngineFixture fixture = new EngineFixture();
    assertThatThrownBy(() -> fixture.engine.putHost(EngineFixture.host(1), 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("host h1")
        .hasMessageContaining("not 0");
    assertThatThrownBy(
            () -> fixture.engine.putPort(EngineFixture.port(4), -1, CapacitySource.SWITCH))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("port s/4")
        .hasMessageContaining("not -1");
    assertThatThrownBy(
            () ->
                fixture.engine.putEndpoint(
                    EngineFixture.profile(1, Double.NaN, 0, 0), Set.of(EngineFixture.ip(1))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("h1/vm0")
        .hasMessageContaining("NaN");
    assertThat(fixture.engine.holderOf(EngineFixture.ip(1))).as("nothing half-applied").isEmpty();
  }
}

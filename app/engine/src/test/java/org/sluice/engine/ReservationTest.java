// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sluice.api.link.UnitShare;

/** What is published to hosts when endpoints must be let through for their deadlines' sake. */
class ReservationTest {

  /** Four that flood port 1, of 50 Mbit/s, for so many periods. */
  private static void flood(EngineFixture fixture, int periods) {
    for (int i = 0; i < periods; i++) {
      for (int n = 1; n <= 4; n++) {
        fixture.traffic(n, 9, 20, 1);
      }
      fixture.tick();
    }
  }

  private static EngineFixture flooded() {
    EngineFixture fixture = EngineFixture.dumbbell(4);
    flood(fixture, 5);
    return fixture;
  }

  private static void reserve(EngineFixture fixture, int endpoint, int port, long mbits) {
    fixture.engine.reserve(
        sink ->
            sink.add(
                EngineFixture.endpoint(endpoint),
                EngineFixture.port(port),
                mbits * EngineFixture.MBIT));
  }

  private static UnitShare published(EngineFixture fixture, int host) {
    List<UnitShare> all = fixture.sharesTo(host);
    assertThat(all).isNotEmpty();
    return all.get(all.size() - 1);
  }

  private static OptionalLong floor(UnitShare share) {
    return share.endpoints().get(0).floorBitsPerSecond();
  }

  @Test
  void reservationIsAFloorAndTheRestIsSharedAtOnce() {
    EngineFixture fixture = flooded();
    reserve(fixture, 1, 1, 32);
    flood(fixture, 1);
    assertThat(floor(published(fixture, 1))).hasValue(32 * EngineFixture.MBIT);
    for (int n = 1; n <= 4; n++) {
      assertThat(published(fixture, n).unitShareBitsPerSecond()).isEqualTo(6 * EngineFixture.MBIT);
    }
    assertThat(floor(published(fixture, 2))).isEmpty();
  }

  @Test
  void endedReservationIsSharedAgain() {
    EngineFixture fixture = flooded();
    reserve(fixture, 1, 1, 32);
    flood(fixture, 1);
    fixture.engine.reserve(sink -> {});
    flood(fixture, 1);
    assertThat(floor(published(fixture, 1))).isEmpty();
    assertThat(published(fixture, 2).unitShareBitsPerSecond()).isEqualTo(12_500_000);
  }

  @Test
  void reservationAddsToAGuarantee() {
    EngineFixture fixture = flooded();
    fixture.engine.putEndpoint(
        EngineFixture.profile(1, 1, 14 * EngineFixture.MBIT, 0), Set.of(EngineFixture.ip(1)));
    reserve(fixture, 1, 1, 6);
    flood(fixture, 5);
    assertThat(fixture.status(1).unitShareBitsPerSecond()).isEqualTo(10 * EngineFixture.MBIT);
    assertThat(fixture.engine.guaranteedBitsPerSecond(EngineFixture.port(1)))
        .isEqualTo(14 * EngineFixture.MBIT);
  }

  @Test
  void reservationsOfAnEndpointAddUpAndLeaveATenthToOthers() {
    EngineFixture fixture = flooded();
    fixture.engine.reserve(
        sink -> {
          sink.add(EngineFixture.endpoint(1), EngineFixture.port(1), 25.0 * EngineFixture.MBIT);
          sink.add(EngineFixture.endpoint(1), EngineFixture.port(1), 15.0 * EngineFixture.MBIT);
          sink.add(EngineFixture.endpoint(2), EngineFixture.port(1), 20.0 * EngineFixture.MBIT);
        });
    flood(fixture, 1);
    // 40 and 20 are more than 45.685, 90 % of the port: 0.7614 of each; two share the rest of 50.
    assertThat(floor(published(fixture, 1))).hasValue(30_456_853);
    assertThat(floor(published(fixture, 2))).hasValue(15_228_426);
    assertThat(published(fixture, 3).unitShareBitsPerSecond()).isEqualTo(2_157_360);
  }

  @Test
  void ceilingBoundsAReservation() {
    EngineFixture fixture = flooded();
    fixture.engine.putEndpoint(
        EngineFixture.profile(1, 1, 0, 20 * EngineFixture.MBIT), Set.of(EngineFixture.ip(1)));
    reserve(fixture, 1, 1, 32);
    flood(fixture, 5);
    assertThat(fixture.status(1).unitShareBitsPerSecond()).isEqualTo(10 * EngineFixture.MBIT);
  }

  @Test
  void smallChangesOfAReservationAreNotPublished() {
    EngineFixture fixture = flooded();
    reserve(fixture, 1, 1, 32);
    flood(fixture, 1);
    fixture.engine.reserve(
        sink ->
            sink.add(EngineFixture.endpoint(1), EngineFixture.port(1), 32.05 * EngineFixture.MBIT));
    flood(fixture, 1);
    assertThat(fixture.shares).isEmpty();
    reserve(fixture, 1, 1, 35);
    flood(fixture, 1);
    assertThat(floor(published(fixture, 1))).hasValue(35 * EngineFixture.MBIT);
    assertThat(published(fixture, 2).unitShareBitsPerSecond()).isEqualTo(5 * EngineFixture.MBIT);
  }

  @Test
  void reservationAtAnotherPortIsNotAFloorHere() {
    EngineFixture fixture = flooded();
    reserve(fixture, 1, 2, 32);
    flood(fixture, 1);
    assertThat(fixture.status(1).unitShareBitsPerSecond()).isEqualTo(12_500_000);
  }

  /**
   * Two ports of 25 Mbit/s in a row: 1 and 2 send over both, 3 over the first, 4 over the second.
   */
  @Test
  void reservationOnAPathBoundsOthersAtBothPortsAndItsOwnerAtNeither() {
    EngineFixture fixture =
        new EngineFixture().portOf(1, 25).portOf(2, 25).endpointAt(5).endpointAt(6);
    fixture.endpointAt(1).endpointAt(2).endpointAt(3).endpointAt(4);
    fixture.path(1, 6, 1, 2).path(2, 6, 1, 2).path(3, 5, 1).path(4, 6, 2);
    fixture.engine.reserve(
        sink -> {
          sink.add(EngineFixture.endpoint(1), EngineFixture.port(1), 15.0 * EngineFixture.MBIT);
          sink.add(EngineFixture.endpoint(1), EngineFixture.port(2), 15.0 * EngineFixture.MBIT);
        });
    OptionalLong first = OptionalLong.empty();
    for (int i = 0; i < 40; i++) {
      fixture.traffic(1, 6, 20, 4).traffic(2, 6, 20, 4).traffic(3, 5, 20, 4).traffic(4, 6, 20, 4);
      fixture.tick();
      for (UnitShare share : fixture.sharesTo(1)) {
        first = share.port().equals(EngineFixture.port(1)) ? floor(share) : first;
      }
    }
    // Weight 1 of the other port is 5, which would be its most here without the reservation.
    assertThat(first).hasValue(15 * EngineFixture.MBIT);
    assertThat(fixture.status(1).unitShareBitsPerSecond()).isEqualTo(5 * EngineFixture.MBIT);
    assertThat(fixture.status(2).unitShareBitsPerSecond()).isEqualTo(5 * EngineFixture.MBIT);
  }
}

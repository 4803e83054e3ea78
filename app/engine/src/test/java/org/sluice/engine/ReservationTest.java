// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sluice.api.link.UnitShare;

/** What hosts are told when endpoints must be let through for their deadlines' sake. */
class ReservationTest {

  /** Four that flood port 1, of 50 Mbit/s, for so many periods. */
  private static void flood(EngineFixture rig, int periods) {
    for (int i = 0; i < periods; i++) {
      for (int n = 1; n <= 4; n++) {
        rig.traffic(n, 9, 20, 1);
      }
      rig.tick();
    }
  }

  private static EngineFixture flooded() {
    EngineFixture rig = EngineFixture.dumbbell(4);
    flood(rig, 5);
    return rig;
  }

  private static void reserve(EngineFixture rig, int endpoint, int port, long mbits) {
    rig.engine.reserve(
        sink ->
            sink.add(
                EngineFixture.endpoint(endpoint),
                EngineFixture.port(port),
                mbits * EngineFixture.MBIT));
  }

  private static UnitShare told(EngineFixture rig, int host) {
    List<UnitShare> all = rig.sharesTo(host);
    assertThat(all).isNotEmpty();
    return all.get(all.size() - 1);
  }

  private static OptionalLong floor(UnitShare share) {
    return share.endpoints().get(0).floorBitsPerSecond();
  }

  @Test
  void aReservationIsAFloorAndTheRestIsSharedAtOnce() {
    EngineFixture rig = flooded();
    reserve(rig, 1, 1, 32);
    flood(rig, 1);
    assertThat(floor(told(rig, 1))).hasValue(32 * EngineFixture.MBIT);
    for (int n = 1; n <= 4; n++) {
      assertThat(told(rig, n).unitShareBitsPerSecond()).isEqualTo(6 * EngineFixture.MBIT);
    }
    assertThat(floor(told(rig, 2))).isEmpty();
  }

  @Test
  void whatIsNoLongerReservedIsSharedAgain() {
    EngineFixture rig = flooded();
    reserve(rig, 1, 1, 32);
    flood(rig, 1);
    rig.engine.reserve(sink -> {});
    flood(rig, 1);
    assertThat(floor(told(rig, 1))).isEmpty();
    assertThat(told(rig, 2).unitShareBitsPerSecond()).isEqualTo(12_500_000);
  }

  @Test
  void itComesOnTopOfAGuaranteeAndIsNone() {
    EngineFixture rig = flooded();
    rig.engine.putEndpoint(
        EngineFixture.policy(1, 1, 14 * EngineFixture.MBIT, 0), Set.of(EngineFixture.ip(1)));
    reserve(rig, 1, 1, 6);
    flood(rig, 5);
    assertThat(rig.status(1).unitShareBitsPerSecond()).isEqualTo(10 * EngineFixture.MBIT);
    assertThat(rig.engine.guaranteedBitsPerSecond(EngineFixture.port(1)))
        .isEqualTo(14 * EngineFixture.MBIT);
  }

  @Test
  void severalFlowsOfAnEndpointAddUpAndATenthIsLeftToOthers() {
    EngineFixture rig = flooded();
    rig.engine.reserve(
        sink -> {
          sink.add(EngineFixture.endpoint(1), EngineFixture.port(1), 25.0 * EngineFixture.MBIT);
          sink.add(EngineFixture.endpoint(1), EngineFixture.port(1), 15.0 * EngineFixture.MBIT);
          sink.add(EngineFixture.endpoint(2), EngineFixture.port(1), 20.0 * EngineFixture.MBIT);
        });
    flood(rig, 1);
    // 40 and 20 are more than 45: three quarters of each.
    assertThat(floor(told(rig, 1))).hasValue(30 * EngineFixture.MBIT);
    assertThat(floor(told(rig, 2))).hasValue(15 * EngineFixture.MBIT);
    assertThat(told(rig, 3).unitShareBitsPerSecond()).isEqualTo(2_500_000);
  }

  @Test
  void aCeilingHoldsAgainstAReservation() {
    EngineFixture rig = flooded();
    rig.engine.putEndpoint(
        EngineFixture.policy(1, 1, 0, 20 * EngineFixture.MBIT), Set.of(EngineFixture.ip(1)));
    reserve(rig, 1, 1, 32);
    flood(rig, 5);
    assertThat(rig.status(1).unitShareBitsPerSecond()).isEqualTo(10 * EngineFixture.MBIT);
  }

  @Test
  void smallMovesOfAReservationAreNotTold() {
    EngineFixture rig = flooded();
    reserve(rig, 1, 1, 32);
    flood(rig, 1);
    rig.engine.reserve(
        sink ->
            sink.add(EngineFixture.endpoint(1), EngineFixture.port(1), 32.1 * EngineFixture.MBIT));
    flood(rig, 1);
    assertThat(rig.shares).isEmpty();
    reserve(rig, 1, 1, 35);
    flood(rig, 1);
    assertThat(floor(told(rig, 1))).hasValue(35 * EngineFixture.MBIT);
    assertThat(told(rig, 2).unitShareBitsPerSecond()).isEqualTo(5 * EngineFixture.MBIT);
  }

  @Test
  void aReservationAtAnotherPortIsNoFloorHere() {
    EngineFixture rig = flooded();
    reserve(rig, 1, 2, 32);
    flood(rig, 1);
    assertThat(rig.status(1).unitShareBitsPerSecond()).isEqualTo(12_500_000);
  }

  /**
   * Two ports of 25 Mbit/s in a row: 1 and 2 send over both, 3 over the first, 4 over the second.
   */
  @Test
  void whatIsReservedOnAWayBoundsOthersAtBothPortsAndItsOwnerAtNone() {
    EngineFixture rig = new EngineFixture().portOf(1, 25).portOf(2, 25).endpointAt(5).endpointAt(6);
    rig.endpointAt(1).endpointAt(2).endpointAt(3).endpointAt(4);
    rig.path(1, 6, 1, 2).path(2, 6, 1, 2).path(3, 5, 1).path(4, 6, 2);
    rig.engine.reserve(
        sink -> {
          sink.add(EngineFixture.endpoint(1), EngineFixture.port(1), 15.0 * EngineFixture.MBIT);
          sink.add(EngineFixture.endpoint(1), EngineFixture.port(2), 15.0 * EngineFixture.MBIT);
        });
    OptionalLong first = OptionalLong.empty();
    for (int i = 0; i < 40; i++) {
      rig.traffic(1, 6, 20, 4).traffic(2, 6, 20, 4).traffic(3, 5, 20, 4).traffic(4, 6, 20, 4);
      rig.tick();
      for (UnitShare share : rig.sharesTo(1)) {
        first = share.port().equals(EngineFixture.port(1)) ? floor(share) : first;
      }
    }
    // Weight 1 of the other port is 5, which would be its most here without the reservation.
    assertThat(first).hasValue(15 * EngineFixture.MBIT);
    assertThat(rig.status(1).unitShareBitsPerSecond()).isEqualTo(5 * EngineFixture.MBIT);
    assertThat(rig.status(2).unitShareBitsPerSecond()).isEqualTo(5 * EngineFixture.MBIT);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sluice.api.JournalEntry;
import org.sluice.api.JournalEntry.Kind;
import org.sluice.api.Law;
import org.sluice.api.PortStatus;
import org.sluice.api.link.ControlledEndpoint;
import org.sluice.api.link.UnitShare;
import org.sluice.engine.path.Path;
import org.sluice.engine.statistics.EngineStatistics.Figure;

/** What hosts are told under Sluice's law, and when. */
class UnitShareTest {

  private static EngineFixture flooded() {
    EngineFixture rig = EngineFixture.dumbbell(4);
    for (int n = 1; n <= 4; n++) {
      rig.traffic(n, 9, 20, n == 1 ? 3 : 0);
    }
    return rig.tick();
  }

  /** Keeps the flood of {@link #flooded} going for so many periods, with marks or without. */
  private static void keepUp(EngineFixture rig, int periods, long marks) {
    for (int i = 0; i < periods; i++) {
      for (int n = 1; n <= 4; n++) {
        rig.traffic(n, 9, 20, marks);
      }
      rig.tick();
    }
  }

  @Test
  void nobodyIsToldAnythingWithoutMarks() {
    EngineFixture rig = EngineFixture.dumbbell(4);
    for (int i = 0; i < 100; i++) {
      rig.traffic(1, 9, 20, 0).traffic(2, 9, 20, 0).tick();
      assertThat(rig.shares).isEmpty();
    }
    assertThat(rig.status(1).congested()).isFalse();
    assertThat(rig.status(1).unitShareBitsPerSecond()).isZero();
  }

  @Test
  void firstMarksAreAnsweredInTheSameTickToEverySource() {
    EngineFixture rig = flooded();
    assertThat(rig.shares).hasSize(4);
    for (int n = 1; n <= 4; n++) {
      assertThat(rig.sharesTo(n))
          .containsExactly(
              UnitShare.of(
                  EngineFixture.port(1),
                  12_500_000,
                  50_000_000,
                  4,
                  false,
                  List.of(
                      ControlledEndpoint.of(
                          EngineFixture.endpoint(n), Set.of(EngineFixture.ip(9))))));
    }
  }

  @Test
  void weightsCountPerEndpoint() {
    EngineFixture rig = EngineFixture.dumbbell(4).endpointAt(1, 2);
    for (int n = 1; n <= 4; n++) {
      rig.traffic(n, 9, 20, 1);
    }
    rig.tick();
    assertThat(rig.sharesTo(3).get(0).unitShareBitsPerSecond()).isEqualTo(10_000_000);
    assertThat(rig.sharesTo(3).get(0).activeWeight()).isEqualTo(5);
  }

  /**
   * Two ports of 25 Mbit/s in a row: 1 and 2 send over both, 3 over the first, 4 over the second.
   */
  private static EngineFixture parkingLot(double weight) {
    EngineFixture rig = new EngineFixture().portOf(1, 25).portOf(2, 25).endpointAt(5).endpointAt(6);
    rig.endpointAt(1, weight).endpointAt(2).endpointAt(3).endpointAt(4, weight);
    return rig.path(1, 6, 1, 2).path(2, 6, 1, 2).path(3, 5, 1).path(4, 6, 2);
  }

  private static void send(EngineFixture rig, int periods) {
    for (int i = 0; i < periods; i++) {
      rig.traffic(1, 6, 20, 4).traffic(2, 6, 20, 4).traffic(3, 5, 20, 4).traffic(4, 6, 20, 4);
      rig.tick();
    }
  }

  @Test
  void whatOthersCannotUseForAnotherPortIsShared() {
    EngineFixture rig = parkingLot(2);
    send(rig, 20);
    // The second is divided among weights 2, 1 and 2; of the first 1 and 2 can use 10 and 5.
    assertThat(rig.status(2).unitShareBitsPerSecond()).isEqualTo(5 * EngineFixture.MBIT);
    assertThat(rig.status(1).unitShareBitsPerSecond()).isEqualTo(10 * EngineFixture.MBIT);
  }

  @Test
  void equalPortsInARowAreDividedAlike() {
    EngineFixture rig = parkingLot(1);
    send(rig, 20);
    assertThat(rig.status(1).unitShareBitsPerSecond()).isEqualTo(25 * EngineFixture.MBIT / 3);
    assertThat(rig.status(2).unitShareBitsPerSecond()).isEqualTo(25 * EngineFixture.MBIT / 3);
  }

  @Test
  void aPortThatIsNoLongerUnderControlBoundsNobody() {
    EngineFixture rig = parkingLot(2);
    send(rig, 20);
    for (int i = 0; i < 250; i++) {
      rig.traffic(1, 6, 20, 0).traffic(2, 6, 20, 0).traffic(3, 5, 20, 4).tick();
    }
    assertThat(rig.status(2).congested()).isFalse();
    assertThat(rig.status(1).unitShareBitsPerSecond()).isEqualTo(25 * EngineFixture.MBIT / 4);
  }

  @Test
  void anEndpointWithAWayPastTheOtherPortIsNotBoundByIt() {
    EngineFixture rig = parkingLot(2).path(1, 5, 1);
    for (int i = 0; i < 20; i++) {
      rig.traffic(1, 5, 20, 4);
      send(rig, 1);
    }
    // Only 2 is bound, to 5: 20 are left to weights 2 and 1.
    assertThat(rig.status(1).unitShareBitsPerSecond()).isEqualTo(6_666_667);
  }

  @Test
  void changedWeightIsPublishedAtOnce() {
    EngineFixture rig = flooded();
    rig.endpointAt(1, 2).tick();
    assertThat(rig.shares).hasSize(4);
    assertThat(rig.sharesTo(2).get(0).unitShareBitsPerSecond()).isEqualTo(10_000_000);
  }

  @Test
  void newcomerIsToldAndTheOthersHearOfTheNewShare() {
    EngineFixture rig = flooded();
    rig.endpointAt(5).path(5, 9, 1, 2).traffic(5, 9, 20, 0).tick();
    assertThat(rig.shares).hasSize(5);
    assertThat(rig.sharesTo(5).get(0).unitShareBitsPerSecond()).isEqualTo(10_000_000);
  }

  @Test
  void newDestinationIsToldToItsHostAlone() {
    EngineFixture rig = flooded().endpointAt(8).path(1, 8, 1, 2);
    rig.traffic(1, 8, 5, 0).tick();
    assertThat(rig.shares).hasSize(1);
    assertThat(rig.sharesTo(1).get(0).endpoints().get(0).destinations())
        .containsExactlyInAnyOrder(EngineFixture.ip(8), EngineFixture.ip(9));
  }

  @Test
  void unchangedShareIsRefreshedEveryTenthOfASecondWithTheSameObject() {
    EngineFixture rig = flooded();
    UnitShare told = rig.sharesTo(1).get(0);
    int refreshes = 0;
    for (int i = 1; i <= 100; i++) {
      keepUp(rig, 1, 1);
      if (!rig.shares.isEmpty()) {
        refreshes++;
        assertThat(i % 20).isZero();
        assertThat(rig.shares).hasSize(4);
        assertThat(rig.sharesTo(1).get(0)).isSameAs(told);
      }
    }
    assertThat(refreshes).isEqualTo(5);
  }

  @Test
  void smallMoveOfTheShareIsNotPublished() {
    EngineFixture rig = EngineFixture.dumbbell(4).endpointAt(1, 1000);
    for (int n = 1; n <= 3; n++) {
      rig.traffic(n, 9, 20, 1);
    }
    rig.tick();
    long before = rig.sharesTo(2).get(0).unitShareBitsPerSecond();
    rig.traffic(4, 9, 20, 1).tick();
    // 50 Mbit/s over 1002 or over 1003: a tenth of a percent. The newcomer hears what all others
    // know.
    assertThat(rig.shares).hasSize(1);
    assertThat(rig.sharesTo(4).get(0).unitShareBitsPerSecond()).isEqualTo(before);
    assertThat(rig.sharesTo(4).get(0).activeWeight()).isEqualTo(1002);
  }

  @Test
  void silentEndpointCountsNoMoreAfterTheActivityWindow() {
    EngineFixture rig = flooded();
    for (int i = 0; i < 50; i++) {
      rig.traffic(1, 9, 20, 1).traffic(2, 9, 20, 1).tick();
    }
    assertThat(rig.status(1).activeEndpoints()).isEqualTo(2);
    assertThat(rig.status(1).unitShareBitsPerSecond()).isEqualTo(25_000_000);
    // Its host still knows where the congested port is, for the next burst.
    rig.pass(100);
    assertThat(rig.sharesTo(4)).isNotEmpty();
    assertThat(rig.sharesTo(4).get(0).expired()).isFalse();
    assertThat(rig.sharesTo(4).get(0).endpoints()).hasSize(1);
  }

  @Test
  void hostWithoutRememberedPairsIsToldThatItsPartEnds() {
    EngineFixture rig = flooded();
    boolean ended = false;
    for (int i = 0; i < 300; i++) {
      rig.traffic(1, 9, 20, 1).tick();
      for (UnitShare share : rig.sharesTo(4)) {
        assertThat(ended).as("nothing follows the end").isFalse();
        ended = share.expired();
      }
    }
    assertThat(ended).isTrue();
    assertThat(rig.status(1).unitShareBitsPerSecond()).isEqualTo(50_000_000);
  }

  @Test
  void controlEndsOnceAfterASecondWithoutMarks() {
    EngineFixture rig = flooded();
    keepUp(rig, 199, 0);
    assertThat(rig.status(1).congested()).isTrue();
    assertThat(rig.shares).allMatch(told -> !told.message.expired());
    keepUp(rig, 1, 0);
    assertThat(rig.status(1).congested()).isFalse();
    assertThat(rig.shares).hasSize(8).filteredOn(told -> told.message.expired()).hasSize(4);
    assertThat(rig.sharesTo(2).get(1).endpoints()).hasSize(1);
    keepUp(rig, 50, 0);
    assertThat(rig.shares).isEmpty();
  }

  @Test
  void marksKeepControlGoing() {
    EngineFixture rig = flooded();
    for (int i = 0; i < 5; i++) {
      keepUp(rig, 190, 0);
      keepUp(rig, 1, 1);
    }
    assertThat(rig.status(1).congested()).isTrue();
    assertThat(rig.journaled(Kind.CONTROL_ENDED)).isEmpty();
  }

  @Test
  void foreignPortIsLeftToItsMaster() {
    EngineFixture rig = EngineFixture.dumbbell(4);
    rig.foreignPorts.add(EngineFixture.port(1));
    rig.traffic(1, 9, 20, 5).tick();
    assertThat(rig.shares).isEmpty();
    assertThat(rig.status(1).congested()).isFalse();
  }

  @Test
  void lostAuthorityEndsControlAndWonAuthorityTakesItUp() {
    EngineFixture rig = flooded();
    rig.foreignPorts.add(EngineFixture.port(1));
    keepUp(rig, 1, 1);
    assertThat(rig.shares).as("cached until the epoch changes").isEmpty();
    rig.authorityChanged();
    keepUp(rig, 1, 1);
    assertThat(rig.shares).hasSize(4).allMatch(told -> told.message.expired());
    keepUp(rig, 1, 1);
    assertThat(rig.shares).isEmpty();
    rig.foreignPorts.clear();
    rig.authorityChanged();
    keepUp(rig, 1, 1);
    assertThat(rig.shares).hasSize(4).allMatch(told -> !told.message.expired());
  }

  @Test
  void vanishedPortEndsItsControl() {
    EngineFixture rig = flooded();
    rig.engine.removePort(EngineFixture.port(1));
    rig.tick();
    assertThat(rig.shares).hasSize(4).allMatch(told -> told.message.expired());
    assertThat(rig.sharesTo(1).get(0).capacityBitsPerSecond()).isEqualTo(50_000_000);
    assertThat(rig.engine.portStatuses())
        .extracting(PortStatus::id)
        .containsExactly(EngineFixture.port(2));
  }

  @Test
  void changedCapacityIsPublishedAtOnce() {
    EngineFixture rig = flooded().portOf(1, 100).tick();
    assertThat(rig.sharesTo(1).get(0).capacityBitsPerSecond()).isEqualTo(100_000_000);
    assertThat(rig.sharesTo(1).get(0).unitShareBitsPerSecond()).isEqualTo(25_000_000);
  }

  @Test
  void removedEndpointLeavesThePort() {
    EngineFixture rig = flooded();
    rig.engine.removeEndpoint(EngineFixture.endpoint(4));
    rig.tick();
    assertThat(rig.sharesTo(4)).hasSize(1).allMatch(UnitShare::expired);
    assertThat(rig.sharesTo(1).get(0).activeWeight()).isEqualTo(3);
  }

  @Test
  void guaranteeIsTakenOffFirst() {
    EngineFixture rig = EngineFixture.dumbbell(4);
    rig.engine.putEndpoint(EngineFixture.policy(1, 1, 20_000_000, 0), Set.of(EngineFixture.ip(1)));
    for (int n = 1; n <= 4; n++) {
      rig.traffic(n, 9, 20, 1);
    }
    rig.tick();
    assertThat(rig.sharesTo(2).get(0).unitShareBitsPerSecond()).isEqualTo(10_000_000);
  }

  @Test
  void guaranteeIsSharedByTheDestinationsOfItsEndpoint() {
    // Two of endpoint 1's destinations, only one behind the congested port: half of 40 counts
    // there.
    EngineFixture rig = EngineFixture.dumbbell(4).endpointAt(8).portOf(3, 1000).path(1, 8, 3);
    rig.engine.putEndpoint(EngineFixture.policy(1, 1, 40_000_000, 0), Set.of(EngineFixture.ip(1)));
    rig.traffic(1, 8, 20, 0);
    for (int n = 1; n <= 4; n++) {
      rig.traffic(n, 9, 20, 1);
    }
    rig.tick();
    assertThat(rig.sharesTo(2).get(0).unitShareBitsPerSecond()).isEqualTo(10_000_000);
  }

  @Test
  void silentDestinationHasNoPartInAGuarantee() {
    EngineFixture rig = EngineFixture.dumbbell(4).endpointAt(8).path(1, 8, 1, 2);
    rig.engine.putEndpoint(EngineFixture.policy(1, 1, 20_000_000, 0), Set.of(EngineFixture.ip(1)));
    rig.traffic(1, 8, 20, 0);
    keepUp(rig, 100, 1);
    assertThat(rig.status(1).unitShareBitsPerSecond()).isEqualTo(10_000_000);
  }

  @Test
  void guaranteeOfTheReceiverBoundsThatOfItsSenders() {
    // The receiver is promised 40 from two senders: 20 for the pair, whatever its sender is
    // promised.
    EngineFixture rig = EngineFixture.dumbbell(2);
    rig.engine.putEndpoint(EngineFixture.policy(1, 1, 30_000_000, 0), Set.of(EngineFixture.ip(1)));
    rig.engine.putEndpoint(EngineFixture.policy(2, 4, 0, 0), Set.of(EngineFixture.ip(2)));
    rig.engine.putEndpoint(EngineFixture.policy(9, 1, 40_000_000, 0), Set.of(EngineFixture.ip(9)));
    rig.traffic(1, 9, 20, 1).traffic(2, 9, 20, 1).tick();
    // 30 are left for weight 4.
    assertThat(rig.sharesTo(2).get(0).unitShareBitsPerSecond()).isEqualTo(7_500_000);
  }

  /** What a host was last told about its one endpoint's floor at port 1. */
  private static OptionalLong floorTold(EngineFixture rig, int host) {
    List<UnitShare> told = rig.sharesTo(host);
    return told.get(told.size() - 1).endpoints().get(0).floorBitsPerSecond();
  }

  /**
   * Three senders to endpoint 9, which is promised 24; endpoint 1, promised 40, also sends to 8.
   */
  private static EngineFixture hose() {
    EngineFixture rig = EngineFixture.dumbbell(3).endpointAt(8).portOf(3, 1000).path(1, 8, 3);
    rig.engine.putEndpoint(EngineFixture.policy(1, 1, 40_000_000, 0), Set.of(EngineFixture.ip(1)));
    rig.engine.putEndpoint(EngineFixture.policy(9, 1, 24_000_000, 0), Set.of(EngineFixture.ip(9)));
    return rig.traffic(1, 8, 20, 0);
  }

  private static void hoseGoesOn(EngineFixture rig, int periods, int... hosts) {
    for (int i = 0; i < periods; i++) {
      for (int n : hosts) {
        rig.traffic(n, 9, 20, 1);
      }
      rig.traffic(1, 8, 20, 0).tick();
    }
  }

  @Test
  void toldFloorHoldsBothEndsGuarantees() {
    EngineFixture rig = hose();
    hoseGoesOn(rig, 1, 1, 2, 3);
    // min(40 / 2 active destinations, 24 / 3 active senders).
    assertThat(floorTold(rig, 1)).hasValue(8_000_000);
    assertThat(floorTold(rig, 2)).as("without a guarantee").isEmpty();
  }

  @Test
  void changedFloorIsToldToItsHostAlone() {
    EngineFixture rig = hose().endpointAt(4).path(4, 9, 3, 2);
    hoseGoesOn(rig, 2, 1, 2, 3);
    // A fourth sender that does not cross the port leaves u_p as it is.
    List<Integer> told = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      rig.traffic(4, 9, 20, 0);
      hoseGoesOn(rig, 1, 1, 2, 3);
      rig.shares.forEach(share -> told.add(share.host.equals(EngineFixture.host(1)) ? 1 : 0));
      if (!rig.sharesTo(1).isEmpty()) {
        assertThat(floorTold(rig, 1)).hasValue(6_000_000);
      }
    }
    assertThat(told).containsExactly(1);
  }

  @Test
  void smallMoveOfAFloorIsNotTold() {
    EngineFixture rig = hose();
    hoseGoesOn(rig, 1, 1, 2, 3);
    rig.engine.putEndpoint(EngineFixture.policy(9, 1, 24_100_000, 0), Set.of(EngineFixture.ip(9)));
    for (int i = 0; i < 10; i++) {
      hoseGoesOn(rig, 1, 1, 2, 3);
      assertThat(rig.shares).isEmpty();
    }
    rig.engine.putEndpoint(EngineFixture.policy(9, 1, 24_300_000, 0), Set.of(EngineFixture.ip(9)));
    List<OptionalLong> told = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      hoseGoesOn(rig, 1, 1, 2, 3);
      if (!rig.shares.isEmpty()) {
        told.add(floorTold(rig, 1));
      }
    }
    assertThat(told).containsExactly(OptionalLong.of(8_100_000));
  }

  @Test
  void silentEndpointIsToldNoFloor() {
    EngineFixture rig = hose();
    hoseGoesOn(rig, 1, 1, 2, 3);
    OptionalLong last = floorTold(rig, 1);
    for (int i = 0; i < 60; i++) {
      hoseGoesOn(rig, 1, 2, 3);
      last = rig.sharesTo(1).isEmpty() ? last : floorTold(rig, 1);
    }
    assertThat(last).as("its host finds one for the next burst").isEmpty();
    hoseGoesOn(rig, 1, 1, 2, 3);
    assertThat(floorTold(rig, 1)).hasValue(8_000_000);
  }

  @Test
  void floorStaysUnderTheCeilingAndLeavesATenthOfThePort() {
    EngineFixture rig = EngineFixture.dumbbell(3);
    rig.engine.putEndpoint(EngineFixture.policy(1, 1, 40_000_000, 0), Set.of(EngineFixture.ip(1)));
    rig.engine.putEndpoint(EngineFixture.policy(2, 1, 20_000_000, 0), Set.of(EngineFixture.ip(2)));
    for (int n = 1; n <= 3; n++) {
      rig.traffic(n, 9, 20, 1);
    }
    rig.tick();
    // 60 are promised, 45 of 50 may be: three quarters.
    assertThat(floorTold(rig, 1)).hasValue(30_000_000);
    assertThat(floorTold(rig, 2)).hasValue(15_000_000);
    assertThat(rig.sharesTo(3).get(0).unitShareBitsPerSecond()).isEqualTo(5_000_000);
    rig.engine.putHost(EngineFixture.host(1), 25_000_000);
    rig.tick();
    assertThat(floorTold(rig, 1)).hasValue(25_000_000);
    assertThat(floorTold(rig, 2)).hasValue(20_000_000);
  }

  @Test
  void withdrawnGuaranteeWithdrawsTheFloor() {
    EngineFixture rig = hose();
    hoseGoesOn(rig, 1, 1, 2, 3);
    rig.engine.putEndpoint(EngineFixture.policy(1, 1, 0, 0), Set.of(EngineFixture.ip(1)));
    hoseGoesOn(rig, 1, 1, 2, 3);
    assertThat(floorTold(rig, 1)).isEmpty();
  }

  @Test
  void ceilingAndSlowNicFreeTheRemainder() {
    EngineFixture rig = EngineFixture.dumbbell(4);
    rig.engine.putEndpoint(EngineFixture.policy(1, 1, 0, 5_000_000), Set.of(EngineFixture.ip(1)));
    for (int n = 1; n <= 4; n++) {
      rig.traffic(n, 9, 20, 1);
    }
    rig.tick();
    assertThat(rig.sharesTo(2).get(0).unitShareBitsPerSecond()).isEqualTo(15_000_000);
    rig.engine.putHost(EngineFixture.host(2), 9_000_000);
    rig.tick();
    assertThat(rig.sharesTo(3).get(0).unitShareBitsPerSecond()).isEqualTo(18_000_000);
  }

  @Test
  void lawChangeEndsOldControl() {
    EngineFixture rig = flooded();
    rig.engine.setParameters(EngineParameters.DEFAULTS.withLaw(Law.SDN_GCC));
    keepUp(rig, 1, 1);
    assertThat(rig.shares).hasSize(4).allMatch(told -> told.message.expired());
    assertThat(rig.journaled(Kind.CONTROL_ENDED).get(0).law()).isEqualTo("sluice");
    assertThat(rig.journaled(Kind.CONTROL_STARTED))
        .extracting(JournalEntry::law)
        .containsExactly("sluice", "sdn-gcc");
    assertThat(rig.notices).hasSize(4);
    keepUp(rig, 1, 1);
    assertThat(rig.shares).isEmpty();
    assertThat(rig.notices).hasSize(4);
    rig.engine.setParameters(EngineParameters.DEFAULTS);
    keepUp(rig, 2, 1);
    assertThat(rig.notices).isEmpty();
    assertThat(rig.status(1).unitShareBitsPerSecond()).isEqualTo(12_500_000);
  }

  @Test
  void startAndEndAndNoticeableMovesAreJournaled() {
    EngineFixture rig = flooded();
    JournalEntry start = rig.journaled(Kind.CONTROL_STARTED).get(0);
    assertThat(start.port()).contains(EngineFixture.port(1));
    assertThat(start.law()).isEqualTo("sluice");
    assertThat(start.decision()).isEqualTo("control starts, unit share 12.5 Mbit/s for weight 1");
    assertThat(start.evidence())
        .isEqualTo(
            "3 marks in 5.0 ms from hosts, CE share 0.04, load 192 Mbit/s of 50 Mbit/s,"
                + " active weight 4 of 4 endpoints");
    assertThat(start.time().toEpochMilli()).isEqualTo(rig.now() / EngineFixture.MILLIS);
    keepUp(rig, 200, 1);
    rig.endpointAt(1, 1.1);
    keepUp(rig, 10, 1);
    assertThat(rig.journaled(Kind.UNIT_SHARE)).as("moved by 2.4 %").isEmpty();
    rig.endpointAt(1, 2);
    keepUp(rig, 10, 1);
    rig.endpointAt(1, 3);
    keepUp(rig, 10, 1);
    assertThat(rig.journaled(Kind.UNIT_SHARE)).as("once a second").hasSize(1);
    assertThat(rig.journaled(Kind.UNIT_SHARE).get(0).decision())
        .isEqualTo("unit share 10 Mbit/s for weight 1, was 12.5 Mbit/s");
    keepUp(rig, 400, 0);
    assertThat(rig.journaled(Kind.CONTROL_ENDED)).hasSize(1);
    assertThat(rig.journaled(Kind.CONTROL_ENDED).get(0).evidence())
        .isEqualTo("no marks for 1000 ms");
  }

  @Test
  void pausedOrSteppedClockEndsNothing() {
    EngineFixture rig = flooded();
    keepUp(rig, 10, 1);
    rig.tickAt(rig.now() + 60_000 * EngineFixture.MILLIS);
    assertThat(rig.status(1).congested()).isTrue();
    assertThat(rig.status(1).activeEndpoints()).isEqualTo(4);
    rig.tickAt(rig.now() - 3_600_000 * EngineFixture.MILLIS);
    keepUp(rig, 10, 1);
    assertThat(rig.status(1).congested()).isTrue();
    assertThat(rig.figure(Figure.CLOCK_STEPS)).isEqualTo(2);
  }

  @Test
  void statusTellsWhatIsKnown() {
    PortStatus status = flooded().status(1);
    assertThat(status.congested()).isTrue();
    assertThat(status.estimated()).isFalse();
    assertThat(status.ceShare()).isEqualTo(3 / 80.0);
    assertThat(status.loadBitsPerSecond()).isEqualTo(4 * 48_000_000);
    assertThat(status.unitShareBitsPerSecond()).isEqualTo(12_500_000);
    assertThat(status.activeEndpoints()).isEqualTo(4);
    assertThat(status.activeWeight()).isEqualTo(4);
  }

  @Test
  void estimatedPathIsSaid() {
    EngineFixture rig = EngineFixture.dumbbell(1);
    rig.path(1, 9, Path.of(List.of(Path.Hop.of(EngineFixture.port(1))), true));
    rig.traffic(1, 9, 20, 5).tick();
    assertThat(rig.status(1).estimated()).isTrue();
    assertThat(rig.journaled(Kind.CONTROL_STARTED).get(0).evidence()).endsWith("path estimated");
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

/** What is published to hosts under Sluice's law, and when. */
class UnitShareTest {

  private static EngineFixture flooded() {
    EngineFixture fixture = EngineFixture.dumbbell(4);
    for (int n = 1; n <= 4; n++) {
      fixture.traffic(n, 9, 20, n == 1 ? 3 : 0);
    }
    return fixture.tick();
  }

  /** Keeps the flood of {@link #flooded} going for so many periods, with marks or without. */
  private static void keepUp(EngineFixture fixture, int periods, long marks) {
    for (int i = 0; i < periods; i++) {
      for (int n = 1; n <= 4; n++) {
        fixture.traffic(n, 9, 20, marks);
      }
      fixture.tick();
    }
  }

  @Test
  void nothingIsPublishedWithoutMarksOrLoad() {
    EngineFixture fixture = EngineFixture.dumbbell(4);
    for (int i = 0; i < 100; i++) {
      fixture.traffic(1, 9, 5, 0).traffic(2, 9, 5, 0).tick();
      assertThat(fixture.shares).isEmpty();
    }
    assertThat(fixture.status(1).congested()).isFalse();
    assertThat(fixture.status(1).unitShareBitsPerSecond()).isZero();
  }

  /** At rest nothing is marked: that does not mean that nobody need be limited. */
  @Test
  void loadedPortIsControlledWithoutMarks() {
    EngineFixture fixture = EngineFixture.dumbbell(4);
    for (int i = 0; i < 100; i++) {
      fixture.traffic(1, 9, 10, 0).traffic(2, 9, 10, 0).tick();
    }
    assertThat(fixture.status(1).congested()).isTrue();
    assertThat(fixture.status(1).unitShareBitsPerSecond()).isEqualTo(25 * EngineFixture.MBIT);
  }

  @Test
  void firstMarksPublishSharesToEverySourceInTheSameTick() {
    EngineFixture fixture = flooded();
    assertThat(fixture.shares).hasSize(4);
    for (int n = 1; n <= 4; n++) {
      assertThat(fixture.sharesTo(n))
          .containsExactly(
              UnitShare.of(
                  EngineFixture.port(1),
                  12_500_000,
                  EngineFixture.capacity(50),
                  4,
                  false,
                  List.of(
                      ControlledEndpoint.of(
                          EngineFixture.endpoint(n), Set.of(EngineFixture.ip(9))))));
    }
  }

  @Test
  void sharesFollowEndpointWeights() {
    EngineFixture fixture = EngineFixture.dumbbell(4).endpointAt(1, 2);
    for (int n = 1; n <= 4; n++) {
      fixture.traffic(n, 9, 20, 1);
    }
    fixture.tick();
    assertThat(fixture.sharesTo(3).get(0).unitShareBitsPerSecond()).isEqualTo(10_000_000);
    assertThat(fixture.sharesTo(3).get(0).activeWeight()).isEqualTo(5);
  }

  /**
   * Two ports of 25 Mbit/s in a row: 1 and 2 send over both, 3 over the first, 4 over the second.
   */
  private static EngineFixture parkingLot(double weight) {
    EngineFixture fixture =
        new EngineFixture().portOf(1, 25).portOf(2, 25).endpointAt(5).endpointAt(6);
    fixture.endpointAt(1, weight).endpointAt(2).endpointAt(3).endpointAt(4, weight);
    return fixture.path(1, 6, 1, 2).path(2, 6, 1, 2).path(3, 5, 1).path(4, 6, 2);
  }

  private static void send(EngineFixture fixture, int periods) {
    for (int i = 0; i < periods; i++) {
      fixture.traffic(1, 6, 20, 4).traffic(2, 6, 20, 4).traffic(3, 5, 20, 4).traffic(4, 6, 20, 4);
      fixture.tick();
    }
  }

  @Test
  void capacityUnusedBecauseOfAnotherPortIsShared() {
    EngineFixture fixture = parkingLot(2);
    send(fixture, 20);
    // The second is divided among weights 2, 1 and 2; of the first 1 and 2 can use 10 and 5.
    assertThat(fixture.status(2).unitShareBitsPerSecond()).isEqualTo(5 * EngineFixture.MBIT);
    assertThat(fixture.status(1).unitShareBitsPerSecond()).isEqualTo(10 * EngineFixture.MBIT);
  }

  @Test
  void equalPortsInSeriesHaveEqualShares() {
    EngineFixture fixture = parkingLot(1);
    send(fixture, 20);
    assertThat(fixture.status(1).unitShareBitsPerSecond()).isEqualTo(25 * EngineFixture.MBIT / 3);
    assertThat(fixture.status(2).unitShareBitsPerSecond()).isEqualTo(25 * EngineFixture.MBIT / 3);
  }

  @Test
  void portWithoutControlBoundsNoEndpoint() {
    EngineFixture fixture = parkingLot(2);
    send(fixture, 20);
    for (int i = 0; i < 250; i++) {
      fixture.traffic(1, 6, 2, 0).traffic(2, 6, 2, 0).traffic(3, 5, 20, 4).tick();
    }
    assertThat(fixture.status(2).congested()).isFalse();
    assertThat(fixture.status(1).unitShareBitsPerSecond()).isEqualTo(25 * EngineFixture.MBIT / 4);
  }

  /**
   * An endpoint floods one destination, and acknowledges what another one sends. These packets wait
   * in the same queue as the flood, but want little of the port that they alone cross.
   */
  @Test
  void fewPacketsThatWaitBehindOthersDemandLittle() {
    EngineFixture fixture = new EngineFixture().portOf(1, 25).portOf(2, 100);
    fixture.endpointAt(1).endpointAt(2).endpointAt(5).endpointAt(6);
    fixture.path(1, 5, 2).path(1, 6, 1).path(2, 6, 1);
    for (int i = 0; i < 100; i++) {
      fixture.traffic(1, 5, 40, 4).traffic(2, 6, 10, 1);
      if (i % 2 == 0) {
        fixture.traffic(1, 6, 1, 0);
      }
      fixture.tick();
    }
    assertThat(fixture.status(1).unitShareBitsPerSecond())
        .as("25 less twice the 1.2 of acknowledgements")
        .isBetween(22 * EngineFixture.MBIT, 23 * EngineFixture.MBIT);
  }

  @Test
  void endpointWithAPathAroundTheOtherPortIsNotBoundByIt() {
    EngineFixture fixture = parkingLot(2).path(1, 5, 1);
    for (int i = 0; i < 20; i++) {
      fixture.traffic(1, 5, 20, 4);
      send(fixture, 1);
    }
    // Of its 12.5 there 1 has half for each destination, so that the second port has 18.75 for
    // weights 1 and 2, and binds nobody.
    assertThat(fixture.status(1).unitShareBitsPerSecond()).isEqualTo(6_250_000);
    assertThat(fixture.status(2).unitShareBitsPerSecond()).isEqualTo(6_250_000);
  }

  @Test
  void changedWeightIsPublishedAtOnce() {
    EngineFixture fixture = flooded();
    fixture.endpointAt(1, 2).tick();
    assertThat(fixture.shares).hasSize(4);
    assertThat(fixture.sharesTo(2).get(0).unitShareBitsPerSecond()).isEqualTo(10_000_000);
  }

  @Test
  void newEndpointsShareIsPublishedToAllEndpoints() {
    EngineFixture fixture = flooded();
    fixture.endpointAt(5).path(5, 9, 1, 2).traffic(5, 9, 20, 0).tick();
    assertThat(fixture.shares).hasSize(5);
    assertThat(fixture.sharesTo(5).get(0).unitShareBitsPerSecond()).isEqualTo(10_000_000);
  }

  @Test
  void newDestinationIsPublishedToItsHostAlone() {
    EngineFixture fixture = flooded().endpointAt(8).path(1, 8, 1, 2);
    fixture.traffic(1, 8, 5, 0).tick();
    assertThat(fixture.shares).hasSize(1);
    assertThat(fixture.sharesTo(1).get(0).endpoints().get(0).destinations())
        .containsExactlyInAnyOrder(EngineFixture.ip(8), EngineFixture.ip(9));
  }

  @Test
  void unchangedShareIsRefreshedEveryTenthOfASecondWithTheSameObject() {
    EngineFixture fixture = flooded();
    keepUp(fixture, 40, 1); // The second refresh says how much the port marks, too.
    UnitShare published = fixture.sharesTo(1).get(0);
    int refreshes = 0;
    for (int i = 1; i <= 100; i++) {
      keepUp(fixture, 1, 1);
      if (!fixture.shares.isEmpty()) {
        refreshes++;
        assertThat(i % 20).isZero();
        assertThat(fixture.shares).hasSize(4);
        assertThat(fixture.sharesTo(1).get(0)).isSameAs(published);
      }
    }
    assertThat(refreshes).isEqualTo(5);
  }

  @Test
  void smallChangeOfTheShareIsNotPublished() {
    EngineFixture fixture = EngineFixture.dumbbell(4).endpointAt(1, 1000);
    for (int n = 1; n <= 3; n++) {
      fixture.traffic(n, 9, 20, 1);
    }
    fixture.tick();
    long before = fixture.sharesTo(2).get(0).unitShareBitsPerSecond();
    fixture.traffic(4, 9, 20, 1).tick();
    // 50 Mbit/s over 1002 or over 1003: a tenth of a percent. The newcomer gets what all others
    // know.
    assertThat(fixture.shares).hasSize(1);
    assertThat(fixture.sharesTo(4).get(0).unitShareBitsPerSecond()).isEqualTo(before);
    assertThat(fixture.sharesTo(4).get(0).activeWeight()).isEqualTo(1002);
  }

  @Test
  void endpointIsNotCountedAfterTheActivityWindow() {
    EngineFixture fixture = flooded();
    for (int i = 0; i < 50; i++) {
      fixture.traffic(1, 9, 20, 1).traffic(2, 9, 20, 1).tick();
    }
    assertThat(fixture.status(1).activeEndpoints()).isEqualTo(2);
    assertThat(fixture.status(1).unitShareBitsPerSecond()).isEqualTo(25_000_000);
    // Its host still knows where the congested port is, for the next burst.
    fixture.pass(100);
    assertThat(fixture.sharesTo(4)).isNotEmpty();
    assertThat(fixture.sharesTo(4).get(0).expired()).isFalse();
    assertThat(fixture.sharesTo(4).get(0).endpoints()).hasSize(1);
  }

  @Test
  void endOfAFloorIsPublishedToAHostWithoutPairs() {
    EngineFixture fixture = flooded();
    boolean ended = false;
    for (int i = 0; i < 300; i++) {
      fixture.traffic(1, 9, 20, 1).tick();
      for (UnitShare share : fixture.sharesTo(4)) {
        assertThat(ended).as("nothing follows the end").isFalse();
        ended = share.expired();
      }
    }
    assertThat(ended).isTrue();
    assertThat(fixture.status(1).unitShareBitsPerSecond()).isEqualTo(50_000_000);
  }

  private static void fallTo(EngineFixture fixture, int packets) {
    for (int n = 1; n <= 4; n++) {
      fixture.traffic(n, 9, packets, 0);
    }
    fixture.tick();
  }

  @Test
  void controlEndsOnceAfterASecondWithoutMarksAndLoad() {
    EngineFixture fixture = flooded();
    keepUp(fixture, 400, 0);
    assertThat(fixture.status(1).congested()).as("it is loaded").isTrue();
    int periods = 0;
    while (fixture.status(1).congested() && periods < 1000) {
      fallTo(fixture, 2);
      periods++;
    }
    // The mean rate has fallen from 192 to 40 Mbit/s after 2.2 windows of 50 ms.
    assertThat(periods * 5).isBetween(1000, 1250);
    assertThat(fixture.shares).filteredOn(sent -> sent.message.expired()).hasSize(4);
    assertThat(fixture.sharesTo(2)).last().matches(share -> share.endpoints().size() == 1);
    for (int i = 0; i < 50; i++) {
      fallTo(fixture, 2);
      assertThat(fixture.shares).isEmpty();
    }
  }

  @Test
  void marksProlongControl() {
    EngineFixture fixture = flooded();
    for (int i = 0; i < 5; i++) {
      keepUp(fixture, 190, 0);
      keepUp(fixture, 1, 1);
    }
    assertThat(fixture.status(1).congested()).isTrue();
    assertThat(fixture.journaled(Kind.CONTROL_ENDED)).isEmpty();
  }

  @Test
  void portOfAnotherMasterIsNotControlled() {
    EngineFixture fixture = EngineFixture.dumbbell(4);
    fixture.foreignPorts.add(EngineFixture.port(1));
    fixture.traffic(1, 9, 20, 5).tick();
    assertThat(fixture.shares).isEmpty();
    assertThat(fixture.status(1).congested()).isFalse();
  }

  @Test
  void lostMastershipLeavesSharesToTheSuccessorAndGainedMastershipResumesControl() {
    EngineFixture fixture = flooded();
    fixture.foreignPorts.add(EngineFixture.port(1));
    keepUp(fixture, 1, 1);
    assertThat(fixture.shares).as("cached until the epoch changes").isEmpty();
    fixture.authorityChanged();
    keepUp(fixture, 1, 1);
    assertThat(fixture.shares).isEmpty();
    assertThat(fixture.status(1).congested()).isFalse();
    fixture.foreignPorts.clear();
    fixture.authorityChanged();
    keepUp(fixture, 1, 1);
    assertThat(fixture.shares).hasSize(4).allMatch(sent -> !sent.message.expired());
  }

  @Test
  void controlGoesOnWhileNobodyIsKnownToDecideAndEndsWithASuccessor() {
    EngineFixture fixture = flooded();
    fixture.foreignPorts.add(EngineFixture.port(1));
    fixture.vacant = true;
    fixture.authorityChanged();
    for (int i = 0; i < 300; i++) {
      keepUp(fixture, 1, 1);
      assertThat(fixture.shares).isEmpty();
    }

    fixture.vacant = false;
    fixture.authorityChanged();
    keepUp(fixture, 1, 1);
    assertThat(fixture.shares).isEmpty();
    assertThat(fixture.status(1).congested()).isFalse();
  }

  @Test
  void removedPortEndsItsControl() {
    EngineFixture fixture = flooded();
    fixture.engine.removePort(EngineFixture.port(1));
    fixture.tick();
    assertThat(fixture.shares).hasSize(4).allMatch(sent -> sent.message.expired());
    assertThat(fixture.sharesTo(1).get(0).capacityBitsPerSecond())
        .isEqualTo(EngineFixture.capacity(50));
    assertThat(fixture.engine.portStatuses())
        .extracting(PortStatus::id)
        .containsExactly(EngineFixture.port(2));
  }

  @Test
  void changedCapacityIsPublishedAtOnce() {
    EngineFixture fixture = flooded().portOf(1, 100).tick();
    assertThat(fixture.sharesTo(1).get(0).capacityBitsPerSecond())
        .isEqualTo(EngineFixture.capacity(100));
    assertThat(fixture.sharesTo(1).get(0).unitShareBitsPerSecond()).isEqualTo(25_000_000);
  }

  @Test
  void removedEndpointIsNotCounted() {
    EngineFixture fixture = flooded();
    fixture.engine.removeEndpoint(EngineFixture.endpoint(4));
    fixture.tick();
    assertThat(fixture.sharesTo(4)).hasSize(1).allMatch(UnitShare::expired);
    assertThat(fixture.sharesTo(1).get(0).activeWeight()).isEqualTo(3);
  }

  @Test
  void guaranteesAreSubtractedFirst() {
    EngineFixture fixture = EngineFixture.dumbbell(4);
    fixture.engine.putEndpoint(
        EngineFixture.profile(1, 1, 20_000_000, 0), Set.of(EngineFixture.ip(1)));
    for (int n = 1; n <= 4; n++) {
      fixture.traffic(n, 9, 20, 1);
    }
    fixture.tick();
    assertThat(fixture.sharesTo(2).get(0).unitShareBitsPerSecond()).isEqualTo(10_000_000);
  }

  @Test
  void guaranteeIsSharedByTheDestinationsOfItsEndpoint() {
    // Two of endpoint 1's destinations, only one behind the congested port: half of 40 counts
    // there.
    EngineFixture fixture = EngineFixture.dumbbell(4).endpointAt(8).portOf(3, 1000).path(1, 8, 3);
    fixture.engine.putEndpoint(
        EngineFixture.profile(1, 1, 40_000_000, 0), Set.of(EngineFixture.ip(1)));
    fixture.traffic(1, 8, 20, 0);
    for (int n = 1; n <= 4; n++) {
      fixture.traffic(n, 9, 20, 1);
    }
    fixture.tick();
    assertThat(fixture.sharesTo(2).get(0).unitShareBitsPerSecond()).isEqualTo(10_000_000);
  }

  @Test
  void idleDestinationHasNoPartInAGuarantee() {
    EngineFixture fixture = EngineFixture.dumbbell(4).endpointAt(8).path(1, 8, 1, 2);
    fixture.engine.putEndpoint(
        EngineFixture.profile(1, 1, 20_000_000, 0), Set.of(EngineFixture.ip(1)));
    fixture.traffic(1, 8, 20, 0);
    keepUp(fixture, 100, 1);
    assertThat(fixture.status(1).unitShareBitsPerSecond()).isEqualTo(10_000_000);
  }

  @Test
  void guaranteeOfTheReceiverBoundsThatOfItsSenders() {
    // The receiver is promised 40 from two senders: 20 for the pair, whatever its sender is
    // promised.
    EngineFixture fixture = EngineFixture.dumbbell(2);
    fixture.engine.putEndpoint(
        EngineFixture.profile(1, 1, 30_000_000, 0), Set.of(EngineFixture.ip(1)));
    fixture.engine.putEndpoint(EngineFixture.profile(2, 4, 0, 0), Set.of(EngineFixture.ip(2)));
    fixture.engine.putEndpoint(
        EngineFixture.profile(9, 1, 40_000_000, 0), Set.of(EngineFixture.ip(9)));
    fixture.traffic(1, 9, 20, 1).traffic(2, 9, 20, 1).tick();
    // 30 are left for weight 4.
    assertThat(fixture.sharesTo(2).get(0).unitShareBitsPerSecond()).isEqualTo(7_500_000);
  }

  /** What was last published to a host about its one endpoint's floor at port 1. */
  private static OptionalLong publishedFloor(EngineFixture fixture, int host) {
    List<UnitShare> shares = fixture.sharesTo(host);
    return shares.get(shares.size() - 1).endpoints().get(0).floorBitsPerSecond();
  }

  /**
   * Three senders to endpoint 9, which is promised 24; endpoint 1, promised 40, also sends to 8.
   */
  private static EngineFixture hose() {
    EngineFixture fixture = EngineFixture.dumbbell(3).endpointAt(8).portOf(3, 1000).path(1, 8, 3);
    fixture.engine.putEndpoint(
        EngineFixture.profile(1, 1, 40_000_000, 0), Set.of(EngineFixture.ip(1)));
    fixture.engine.putEndpoint(
        EngineFixture.profile(9, 1, 24_000_000, 0), Set.of(EngineFixture.ip(9)));
    return fixture.traffic(1, 8, 20, 0);
  }

  private static void hoseGoesOn(EngineFixture fixture, int periods, int... hosts) {
    for (int i = 0; i < periods; i++) {
      for (int n : hosts) {
        fixture.traffic(n, 9, 20, 1);
      }
      fixture.traffic(1, 8, 20, 0).tick();
    }
  }

  @Test
  void publishedFloorCoversGuaranteesOfBothEnds() {
    EngineFixture fixture = hose();
    hoseGoesOn(fixture, 1, 1, 2, 3);
    // min(40 / 2 active destinations, 24 / 3 active senders).
    assertThat(publishedFloor(fixture, 1)).hasValue(8_000_000);
    assertThat(publishedFloor(fixture, 2)).as("without a guarantee").isEmpty();
  }

  @Test
  void changedFloorIsPublishedToItsHostAlone() {
    EngineFixture fixture = hose().endpointAt(4).path(4, 9, 3, 2);
    hoseGoesOn(fixture, 2, 1, 2, 3);
    // A fourth sender that does not cross the port leaves u_p as it is.
    List<Integer> reported = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      fixture.traffic(4, 9, 20, 0);
      hoseGoesOn(fixture, 1, 1, 2, 3);
      fixture.shares.forEach(
          share -> reported.add(share.host.equals(EngineFixture.host(1)) ? 1 : 0));
      if (!fixture.sharesTo(1).isEmpty()) {
        assertThat(publishedFloor(fixture, 1)).hasValue(6_000_000);
      }
    }
    assertThat(reported).containsExactly(1);
  }

  @Test
  void smallChangeOfAFloorIsNotPublished() {
    EngineFixture fixture = hose();
    hoseGoesOn(fixture, 1, 1, 2, 3);
    fixture.engine.putEndpoint(
        EngineFixture.profile(9, 1, 24_100_000, 0), Set.of(EngineFixture.ip(9)));
    for (int i = 0; i < 10; i++) {
      hoseGoesOn(fixture, 1, 1, 2, 3);
      assertThat(fixture.shares).isEmpty();
    }
    fixture.engine.putEndpoint(
        EngineFixture.profile(9, 1, 24_300_000, 0), Set.of(EngineFixture.ip(9)));
    List<OptionalLong> reported = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      hoseGoesOn(fixture, 1, 1, 2, 3);
      if (!fixture.shares.isEmpty()) {
        reported.add(publishedFloor(fixture, 1));
      }
    }
    assertThat(reported).containsExactly(OptionalLong.of(8_100_000));
  }

  @Test
  void noFloorIsPublishedOfAnIdleEndpoint() {
    EngineFixture fixture = hose();
    hoseGoesOn(fixture, 1, 1, 2, 3);
    OptionalLong last = publishedFloor(fixture, 1);
    for (int i = 0; i < 60; i++) {
      hoseGoesOn(fixture, 1, 2, 3);
      last = fixture.sharesTo(1).isEmpty() ? last : publishedFloor(fixture, 1);
    }
    assertThat(last).as("its host finds one for the next burst").isEmpty();
    hoseGoesOn(fixture, 1, 1, 2, 3);
    assertThat(publishedFloor(fixture, 1)).hasValue(8_000_000);
  }

  @Test
  void floorStaysUnderTheCeilingAndLeavesATenthOfThePort() {
    EngineFixture fixture = EngineFixture.dumbbell(3);
    fixture.engine.putEndpoint(
        EngineFixture.profile(1, 1, 40_000_000, 0), Set.of(EngineFixture.ip(1)));
    fixture.engine.putEndpoint(
        EngineFixture.profile(2, 1, 20_000_000, 0), Set.of(EngineFixture.ip(2)));
    for (int n = 1; n <= 3; n++) {
      fixture.traffic(n, 9, 20, 1);
    }
    fixture.tick();
    // 60 are promised, 45.685, 90 % of the port, may be: 0.7614 of each, and the rest of 50 is
    // left.
    assertThat(publishedFloor(fixture, 1)).hasValue(30_456_853);
    assertThat(publishedFloor(fixture, 2)).hasValue(15_228_426);
    assertThat(fixture.sharesTo(3).get(0).unitShareBitsPerSecond()).isEqualTo(4_314_721);
    fixture.engine.putHost(EngineFixture.host(1), 25_000_000);
    fixture.tick();
    assertThat(publishedFloor(fixture, 1)).hasValue(25_000_000);
    assertThat(publishedFloor(fixture, 2)).hasValue(20_000_000);
  }

  @Test
  void withdrawnGuaranteeWithdrawsTheFloor() {
    EngineFixture fixture = hose();
    hoseGoesOn(fixture, 1, 1, 2, 3);
    fixture.engine.putEndpoint(EngineFixture.profile(1, 1, 0, 0), Set.of(EngineFixture.ip(1)));
    hoseGoesOn(fixture, 1, 1, 2, 3);
    assertThat(publishedFloor(fixture, 1)).isEmpty();
  }

  @Test
  void ceilingAndSlowNicFreeTheRemainder() {
    EngineFixture fixture = EngineFixture.dumbbell(4);
    fixture.engine.putEndpoint(
        EngineFixture.profile(1, 1, 0, 5_000_000), Set.of(EngineFixture.ip(1)));
    for (int n = 1; n <= 4; n++) {
      fixture.traffic(n, 9, 20, 1);
    }
    fixture.tick();
    assertThat(fixture.sharesTo(2).get(0).unitShareBitsPerSecond()).isEqualTo(15_000_000);
    fixture.engine.putHost(EngineFixture.host(2), 9_000_000);
    fixture.tick();
    assertThat(fixture.sharesTo(3).get(0).unitShareBitsPerSecond()).isEqualTo(18_000_000);
  }

  @Test
  void lawChangeEndsOldControl() {
    EngineFixture fixture = flooded();
    fixture.engine.setParameters(EngineParameters.DEFAULTS.withLaw(Law.SDN_GCC));
    keepUp(fixture, 1, 1);
    assertThat(fixture.shares).hasSize(4).allMatch(sent -> sent.message.expired());
    assertThat(fixture.journaled(Kind.CONTROL_ENDED).get(0).law()).isEqualTo("sluice");
    assertThat(fixture.journaled(Kind.CONTROL_STARTED))
        .extracting(JournalEntry::law)
        .containsExactly("sluice", "sdn-gcc");
    assertThat(fixture.notices).hasSize(4);
    keepUp(fixture, 1, 1);
    assertThat(fixture.shares).isEmpty();
    assertThat(fixture.notices).hasSize(4);
    fixture.engine.setParameters(EngineParameters.DEFAULTS);
    keepUp(fixture, 2, 1);
    assertThat(fixture.notices).isEmpty();
    assertThat(fixture.status(1).unitShareBitsPerSecond()).isEqualTo(12_500_000);
  }

  @Test
  void beginEndAndLargeChangesAreJournaled() {
    EngineFixture fixture = flooded();
    JournalEntry start = fixture.journaled(Kind.CONTROL_STARTED).get(0);
    assertThat(start.port()).contains(EngineFixture.port(1));
    assertThat(start.law()).isEqualTo("sluice");
    assertThat(start.decision()).isEqualTo("control starts, unit share 12.5 Mbit/s for weight 1");
    assertThat(start.evidence())
        .isEqualTo(
            "3 marks in 5.0 ms, 4 % of its packets, counted by the receivers' hosts;"
                + " 4 active endpoints, together with 192 Mbit/s (smoothed) of the port's"
                + " 50.761421 Mbit/s and weight 4");
    assertThat(start.time().toEpochMilli()).isEqualTo(fixture.now() / EngineFixture.MILLIS);
    keepUp(fixture, 200, 1);
    fixture.endpointAt(1, 1.1);
    keepUp(fixture, 10, 1);
    assertThat(fixture.journaled(Kind.UNIT_SHARE)).as("moved by 2.4 %").isEmpty();
    fixture.endpointAt(1, 2);
    keepUp(fixture, 10, 1);
    fixture.endpointAt(1, 3);
    keepUp(fixture, 10, 1);
    assertThat(fixture.journaled(Kind.UNIT_SHARE)).as("once a second").hasSize(1);
    assertThat(fixture.journaled(Kind.UNIT_SHARE).get(0).decision())
        .isEqualTo("unit share 10 Mbit/s for weight 1, was 12.5 Mbit/s");
    for (int i = 0; i < 400; i++) {
      fallTo(fixture, 2);
    }
    assertThat(fixture.journaled(Kind.CONTROL_ENDED)).hasSize(1);
    assertThat(fixture.journaled(Kind.CONTROL_ENDED).get(0).evidence())
        .isEqualTo("neither marks nor much load for 1000 ms");
  }

  /** Hosts report when they report: what was marked before is no mark of this period. */
  @Test
  void decisionBetweenTwoReportsCitesTheLastOne() {
    EngineFixture fixture = flooded();
    keepUp(fixture, 250, 1);
    fixture.endpointAt(1, 3);
    fixture.tick();
    assertThat(fixture.journaled(Kind.UNIT_SHARE).get(0).evidence())
        .matches(
            "\\d+ % of its packets marked when last reported, counted by the receivers' hosts;"
                + " 4 active endpoints, .* and weight 6");
  }

  @Test
  void journalEntriesHavePortNames() {
    EngineFixture fixture = EngineFixture.dumbbell(1);
    fixture.journal.setPortNames(port -> Optional.of("leaf1:eth" + port.number()));
    fixture.traffic(1, 9, 20, 5).tick();
    JournalEntry entry = fixture.journaled(Kind.CONTROL_STARTED).get(0);
    assertThat(entry.port()).contains(EngineFixture.port(1));
    assertThat(entry.portName()).contains("leaf1:eth1");
    assertThat(fixture.journal.label(EngineFixture.port(1))).isEqualTo("leaf1:eth1 (s/1)");
  }

  @Test
  void pausedOrSteppedClockEndsNothing() {
    EngineFixture fixture = flooded();
    keepUp(fixture, 10, 1);
    fixture.tickAt(fixture.now() + 60_000 * EngineFixture.MILLIS);
    assertThat(fixture.status(1).congested()).isTrue();
    assertThat(fixture.status(1).activeEndpoints()).isEqualTo(4);
    fixture.tickAt(fixture.now() - 3_600_000 * EngineFixture.MILLIS);
    keepUp(fixture, 10, 1);
    assertThat(fixture.status(1).congested()).isTrue();
    assertThat(fixture.figure(Figure.CLOCK_STEPS)).isEqualTo(2);
  }

  @Test
  void statusHasEveryKnownValue() {
    PortStatus status = flooded().status(1);
    assertThat(status.congested()).isTrue();
    assertThat(status.estimated()).isFalse();
    assertThat(status.ceShare()).isEqualTo(3 / 80.0);
    assertThat(status.unitShareBitsPerSecond()).isEqualTo(12_500_000);
    assertThat(status.activeEndpoints()).isEqualTo(4);
    assertThat(status.activeWeight()).isEqualTo(4);
  }

  @Test
  void estimatedPathIsMarkedSo() {
    EngineFixture fixture = EngineFixture.dumbbell(1);
    fixture.path(1, 9, Path.of(List.of(Path.Hop.of(EngineFixture.port(1))), true));
    fixture.traffic(1, 9, 20, 5).tick();
    assertThat(fixture.status(1).estimated()).isTrue();
    assertThat(fixture.journaled(Kind.CONTROL_STARTED).get(0).evidence())
        .endsWith("path estimated");
  }
}

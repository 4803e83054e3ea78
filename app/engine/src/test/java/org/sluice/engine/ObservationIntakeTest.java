// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.api.EndpointId;
import org.sluice.api.TenantId;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PairSample;
import org.sluice.engine.state.AddressTable;
import org.sluice.engine.state.PairTable;
import org.sluice.engine.statistics.EngineStatistics.Figure;

class ObservationIntakeTest {

  @ParameterizedTest(name = "{0} packets, {1} bytes, {2} marks")
  @CsvSource({
    "-1, 1500, 0",
    "1, -1500, 0",
    "10, 15000, -1",
    "10, 15000, 11",
    "10, 9, 0",
    "9223372036854775807, 9223372036854775807, 0",
    // NIC of 10 Gbit/s: 4 x 12.5 MB in 10 ms and four large segments are still accepted.
    "34000, 50262145, 0"
  })
  void implausibleSampleIsDroppedAndCounted(long packets, long bytes, long marks) {
    EngineFixture fixture = EngineFixture.dumbbell(1);
    fixture
        .observe(
            9, PairSample.of(EngineFixture.ip(1), EngineFixture.ip(9), 0, 0, packets, bytes, marks))
        .tick();
    assertThat(fixture.figure(Figure.SAMPLES_ABSURD)).isEqualTo(1);
    assertThat(fixture.figure(Figure.REMEMBERED_PAIRS)).isZero();
    assertThat(fixture.shares).isEmpty();
  }

  @Test
  void plausibleBurstIsAccepted() {
    EngineFixture fixture = EngineFixture.dumbbell(1);
    fixture
        .observe(
            9, PairSample.of(EngineFixture.ip(1), EngineFixture.ip(9), 0, 0, 34_000, 50_262_144, 0))
        .tick();
    assertThat(fixture.figure(Figure.SAMPLES_ABSURD)).isZero();
    assertThat(fixture.figure(Figure.ACTIVE_PAIRS)).isEqualTo(1);
  }

  @Test
  void validSamplesBesideAnImplausibleOneCount() {
    EngineFixture fixture = EngineFixture.dumbbell(2);
    fixture.observe(
        9,
        PairSample.of(EngineFixture.ip(1), EngineFixture.ip(9), 0, 0, -5, 0, 0),
        EngineFixture.received(2, 9, 10, 2));
    fixture.tick();
    assertThat(fixture.status(1).congested()).isTrue();
    assertThat(fixture.figure(Figure.SAMPLES_USED)).isEqualTo(1);
  }

  /** A host counts what its shim refuses, too: a flood is absurd, and waits all the more. */
  @Test
  void floodBeyondTheNicIsKnownToWait() {
    EngineFixture fixture = EngineFixture.dumbbell(2);
    fixture.light(1, 2);
    for (int i = 0; i < 100; i++) {
      fixture.traffic(1, 9, 5, 1).traffic(2, 9, 5, 1);
      fixture.observe(1, EngineFixture.sent(1, 9, 1_000_000)).tick();
    }
    assertThat(fixture.figure(Figure.SAMPLES_ABSURD)).isEqualTo(100);
    // 12 of 50 Mbit/s are what the other one sends.
    assertThat(fixture.status(1).unitShareBitsPerSecond()).isBetween(37_500_000L, 38_500_000L);
  }

  /** Its mean would keep from others for long what it has ceased to send. */
  @Test
  void whoCeasesToWaitAndSendsNothingHasNoRate() {
    EngineFixture fixture = EngineFixture.dumbbell(2);
    for (int i = 0; i < 100; i++) {
      fixture.traffic(1, 9, 5, 0).traffic(2, 9, 5, 0).tick();
    }
    assertThat(fixture.load(1)).isBetween(23_990_000L, 24_000_000L);
    fixture.observe(
        1, PairSample.of(EngineFixture.ip(1), EngineFixture.ip(9), 0, 0, 0, 0, 0, false));
    fixture.tick();
    assertThat(fixture.load(1)).isBetween(11_990_000L, 12_000_000L);
  }

  @Test
  void samplesAboutEndpointsOfOtherHostsAreRejected() {
    EngineFixture fixture = EngineFixture.dumbbell(2);
    // Host 2 is neither end; host 1 cannot say what arrived; host 9 cannot say what was sent.
    fixture.observe(2, EngineFixture.received(1, 9, 10, 10)).tick();
    assertThat(fixture.figure(Figure.SAMPLES_FOREIGN)).isEqualTo(1);
    fixture
        .observe(
            1, PairSample.of(EngineFixture.ip(1), EngineFixture.ip(9), 20, 30_000, 10, 15_000, 10))
        .tick();
    assertThat(fixture.status(1).ceShare()).isZero();
    assertThat(fixture.load(1)).isEqualTo(48_000_000);
    fixture
        .observe(
            9, PairSample.of(EngineFixture.ip(2), EngineFixture.ip(9), 99, 150_000, 10, 15000, 0))
        .tick();
    assertThat(fixture.load(1)).isEqualTo(72_000_000);
  }

  @Test
  void unknownAddressesAndHostsCountAsForeign() {
    EngineFixture fixture = EngineFixture.dumbbell(1);
    fixture.observe(1, EngineFixture.sent(77, 9, 10));
    fixture.observe(77, EngineFixture.received(1, 9, 10, 1));
    fixture.observe(9, EngineFixture.received(77, 9, 10, 1)).tick();
    assertThat(fixture.figure(Figure.SAMPLES_FOREIGN)).isEqualTo(3);
    assertThat(fixture.figure(Figure.REMEMBERED_PAIRS)).isZero();
  }

  @Test
  void trafficToAnExternalDestinationIsReportedByTheSourcesHost() {
    EngineFixture fixture = new EngineFixture().portOf(1, 100).endpointAt(1).path(1, 77, 1);
    fixture.observe(1, EngineFixture.sent(1, 77, 10)).tick();
    assertThat(fixture.load(1)).isEqualTo(24_000_000);
    assertThat(fixture.status(1).activeEndpoints()).isEqualTo(1);
  }

  @Test
  void pairWithinAHostCrossesNoPort() {
    EngineFixture fixture = EngineFixture.dumbbell(1);
    EndpointId sibling = EndpointId.of(EngineFixture.host(1), "vm1");
    fixture.engine.putEndpoint(
        EndpointProfile.of(sibling, TenantId.of("t"), 1, 0, 0, false),
        Set.of(EngineFixture.ip(50)));
    fixture.observe(1, EngineFixture.sent(1, 50, 10)).tick();
    assertThat(fixture.figure(Figure.SAMPLES_LOCAL)).isEqualTo(1);
    assertThat(fixture.figure(Figure.REMEMBERED_PAIRS)).isZero();
  }

  @Test
  void observationsWithoutIntervalOrTooOldAreRefused() {
    EngineFixture fixture = EngineFixture.dumbbell(1).tick();
    fixture.engine.observe(
        EngineFixture.observation(1, fixture.now(), 0, EngineFixture.sent(1, 9, 10)));
    fixture.engine.observe(
        EngineFixture.observation(1, fixture.now(), -5, EngineFixture.sent(1, 9, 10)));
    long old = fixture.now() - 201 * EngineFixture.MILLIS;
    fixture.engine.observe(
        EngineFixture.observation(1, old, 5 * EngineFixture.MILLIS, EngineFixture.sent(1, 9, 10)));
    assertThat(fixture.figure(Figure.OBSERVATIONS_REFUSED)).isEqualTo(3);
    assertThat(fixture.figure(Figure.REMEMBERED_PAIRS)).isZero();
  }

  @Test
  void loadIsCountedOverTheReportsInterval() {
    EngineFixture fixture = EngineFixture.dumbbell(1);
    long interval = 50 * EngineFixture.MILLIS;
    fixture.engine.observe(
        EngineFixture.observation(1, fixture.now(), interval, EngineFixture.sent(1, 9, 100)));
    fixture.tick();
    assertThat(fixture.load(1)).isEqualTo(24_000_000);
  }

  @Test
  void sparsePairIsNotCountedAsAStream() {
    // A packet every 100 ms is 120 kbit/s, though every report of it covers only 5 ms.
    EngineFixture fixture = EngineFixture.dumbbell(1);
    double sum = 0;
    int ticks = 2000;
    for (int i = 0; i < ticks; i++) {
      if (i % 20 == 0) {
        fixture.observe(1, EngineFixture.sent(1, 9, 1));
      }
      fixture.tick();
      sum += fixture.load(1);
    }
    assertThat(sum / ticks).isBetween(90_000.0, 300_000.0);
  }

  @Test
  void strayPacketOfAnIdlePairIsNotCountedAsAStream() {
    EngineFixture fixture =
        EngineFixture.dumbbell(1).observe(1, EngineFixture.sent(1, 9, 1)).tick();
    assertThat(fixture.load(1)).isLessThan(250_000);
  }

  @Test
  void streamCountsAtOnceAndInFull() {
    EngineFixture fixture = EngineFixture.dumbbell(1);
    int reports = 0;
    for (int i = 0; i < 200; i++) {
      // Two reports a period; now and then those of one period come with those of the next.
      for (reports += 2; i % 7 != 3 && reports > 0; reports--) {
        fixture.engine.observe(
            EngineFixture.observation(1, fixture.now(), 2_500_000, EngineFixture.sent(1, 9, 10)));
      }
      fixture.tick();
      assertThat(fixture.load(1)).isBetween(43_000_000L, 57_000_000L);
    }
  }

  @Test
  void loadIsArrivingTrafficNotOfferedTraffic() {
    EngineFixture fixture = EngineFixture.dumbbell(1);
    fixture.observe(1, EngineFixture.sent(1, 9, 40));
    assertThat(fixture.load(1)).isEqualTo(96_000_000);
    fixture.observe(9, EngineFixture.received(1, 9, 10, 0)).tick();
    assertThat(fixture.load(1)).isEqualTo(24_000_000);
  }

  @Test
  void senderWithoutReportsIsMeasuredByTheReceiver() {
    EngineFixture fixture = EngineFixture.dumbbell(1);
    fixture.observe(1, EngineFixture.sent(1, 9, 40));
    for (int i = 0; i < 60; i++) {
      fixture.observe(9, EngineFixture.received(1, 9, 10, 0)).tick();
    }
    assertThat(fixture.load(1)).isEqualTo(24_000_000);
  }

  @Test
  void slowReporterStaysActiveBetweenItsReports() {
    EngineFixture fixture = EngineFixture.dumbbell(1);
    for (int i = 0; i < 5; i++) {
      long interval = 1_000 * EngineFixture.MILLIS;
      fixture.engine.observe(
          EngineFixture.observation(1, fixture.now(), interval, EngineFixture.sent(1, 9, 1000)));
      for (int k = 0; k < 200; k++) {
        fixture.tick();
        assertThat(fixture.figure(Figure.ACTIVE_PAIRS)).isEqualTo(1);
      }
    }
  }

  @Test
  void firstReportAfterALongSilenceCountsAsShort() {
    EngineFixture fixture = EngineFixture.dumbbell(1);
    long interval = 3_600_000 * EngineFixture.MILLIS;
    fixture.engine.observe(
        EngineFixture.observation(1, fixture.now(), interval, EngineFixture.sent(1, 9, 10)));
    fixture.pass(250);
    assertThat(fixture.figure(Figure.ACTIVE_PAIRS)).isZero();
  }

  @Test
  void emptySamplesKeepNoPairActive() {
    EngineFixture fixture = EngineFixture.dumbbell(1).traffic(1, 9, 20, 0);
    for (int i = 0; i < 60; i++) {
      fixture.traffic(1, 9, 0, 0).tick();
    }
    assertThat(fixture.figure(Figure.ACTIVE_PAIRS)).isZero();
    assertThat(fixture.load(1)).isZero();
    assertThat(fixture.status(1).ceShare()).isZero();
  }

  @Test
  void addressChangesKeepOtherAddresses() {
    AddressTable book = new AddressTable();
    for (int n = 0; n < 2000; n++) {
      assertThat(book.retain(EngineFixture.ip(n))).isEqualTo(n);
    }
    for (int n = 0; n < 2000; n += 3) {
      book.release(n);
    }
    assertThat(book.size()).isEqualTo(1333);
    for (int n = 0; n < 2000; n++) {
      assertThat(book.find(EngineFixture.ip(n))).isEqualTo(n % 3 == 0 ? -1 : n);
    }
  }

  @Test
  void fullTableRejectsAndCountsNewPairs() {
    EngineFixture fixture = EngineFixture.dumbbell(2).traffic(1, 9, 10, 0).tick();
    PairTable pairs = fixture.engine.state.pairs;
    for (int i = 0; pairs.free() > 0; i++) {
      pairs.add(-1, 1_000_000 + i, 0);
    }
    fixture.traffic(1, 9, 10, 0).traffic(2, 9, 10, 0);
    assertThat(fixture.figure(Figure.SAMPLES_OVERFLOW)).isEqualTo(2);
    assertThat(fixture.figure(Figure.SAMPLES_USED)).isEqualTo(4);
  }

  @Test
  void tableOfPairsIsBounded() {
    PairTable pairs = new PairTable();
    for (int i = 0; i < PairTable.MAX_PAIRS; i++) {
      assertThat(pairs.free()).isEqualTo(PairTable.MAX_PAIRS - i);
      pairs.add(0, i, i);
    }
    assertThat(pairs.free()).isZero();
    pairs.remove(17);
    assertThat(pairs.free()).isEqualTo(1);
    assertThat(pairs.find(18, 18)).isEqualTo(18);
    assertThat(pairs.find(17, 17)).isEqualTo(-1);
  }

  @Test
  void emptyObservationIsAccepted() {
    EngineFixture fixture = EngineFixture.dumbbell(1);
    fixture.engine.observe(
        HostObservation.of(
            EngineFixture.host(1), fixture.now(), EngineFixture.MILLIS, List.of(), List.of()));
    assertThat(fixture.figure(Figure.OBSERVATIONS)).isEqualTo(1);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.sluice.api.JournalEntry.Kind;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.api.PortStatus.CapacitySource;
import org.sluice.api.PortStatus.MarkSource;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.Notice;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.engine.EngineParameters.Law;
import org.sluice.engine.EngineParameters.Signals;
import org.sluice.engine.EngineStatistics.Figure;

/**
 * Marks that switches and port agents tell of, in a parking lot: switch a leads to b by a/1, b to c
 * by b/1 and to d by b/2; endpoint 9 is behind c/2, 7 behind d/2. Endpoints 1 and 3 send from a, 2
 * from b. Meter 1 of b, c and d counts what enters by port 10.
 */
class MarkSourcesTest {
  private static final PortId A1 = PortId.of("a", 1);
  private static final PortId B1 = PortId.of("b", 1);
  private static final PortId B2 = PortId.of("b", 2);
  private static final PortId C2 = PortId.of("c", 2);
  private static final PortId D2 = PortId.of("d", 2);
  private static final long PERIOD = 5 * Rig.MILLIS;

  private Rig rig;

  private void lot(Signals signals) {
    lot(EngineParameters.DEFAULTS.withSignals(signals));
  }

  private void lot(EngineParameters parameters) {
    rig = new Rig(parameters);
    for (PortId port : List.of(A1, B1, B2)) {
      rig.engine.putPort(port, 50 * Rig.MBIT, CapacitySource.CONFIGURED);
    }
    for (PortId port : List.of(C2, D2)) {
      rig.engine.putPort(port, 1000 * Rig.MBIT, CapacitySource.CONFIGURED);
    }
    for (int n : new int[] {1, 2, 3, 7, 9}) {
      rig.endpointAt(n);
    }
    rig.path(1, 9, path(A1, B1, C2)).path(2, 9, path(B1, C2)).path(3, 7, path(A1, B2, D2));
    rig.engine.setLinks(
        Map.of(A1, PortId.of("b", 10), B1, PortId.of("c", 10), B2, PortId.of("d", 10)));
    Map<Long, Long> meter = Map.of(1L, 10L);
    rig.engine.setMarkMeters(Map.of("b", meter, "c", meter, "d", meter));
    rig.tick();
  }

  private static Path path(PortId... ports) {
    List<Path.Hop> hops = new ArrayList<>();
    for (PortId port : ports) {
      hops.add(Path.Hop.of(port));
    }
    return Path.of(hops, false);
  }

  private void meter(String datapath, long marks) {
    meter(datapath, marks, rig.now());
  }

  private void meter(String datapath, long marks, long received) {
    rig.engine.observe(MeterSample.of(datapath, 1, marks, marks * 1500, PERIOD), received);
  }

  private void port(PortId port, long packets) {
    rig.engine.observe(
        PortSample.builder(port).txPackets(packets).intervalNanos(PERIOD).build(), rig.now());
  }

  private void queue(PortId port, long sent, long over) {
    rig.engine.observe(
        PortQueueObservation.of(
            Rig.host(99),
            rig.now(),
            PERIOD,
            List.of(PortQueueSample.of(port, sent, sent * 1500, 0, over, 0, 0, 0))));
  }

  private PortStatus status(PortId port) {
    return rig.engine.portStatuses().stream()
        .filter(status -> status.id().equals(port))
        .findFirst()
        .orElseThrow(AssertionError::new);
  }

  private long marks(PortId port) {
    return rig.engine.world.ports.marks[rig.engine.world.ports.find(port)];
  }

  /** Senders' hosts tell of packets in a period: nobody tells of what arrives. */
  private void send(int from, int to, long packets) {
    rig.observe(from, Rig.sent(from, to, packets));
  }

  // ---------------------------------------------------------------- what had entered

  @Test
  void marksThatEnteredAreNotThePortsOwn() {
    lot(Signals.METERS);
    long first = 0;
    for (int i = 0; i < 100; i++) {
      send(1, 9, 20);
      // What b has counted now c counts later, and not in equal parts.
      meter("b", 10 + i % 3);
      meter("c", i == 0 ? 0 : 10 + (i + 2) % 3);
      rig.tick();
      first += marks(A1);
      assertThat(marks(B1)).isZero();
    }
    assertThat(first).isEqualTo(100 * 10 + 99);
    assertThat(status(A1).congested()).isTrue();
    assertThat(status(A1).marksFrom()).contains(MarkSource.METERS);
    assertThat(status(B1).congested()).isFalse();
    assertThat(rig.figure(Figure.MARKS_ENTERED)).isGreaterThan(900);
  }

  @Test
  void excessOverWhatEnteredIsThePortsOwn() {
    lot(Signals.METERS);
    long own = 0;
    for (int i = 0; i < 200; i++) {
      send(1, 9, 20);
      send(2, 9, 20);
      meter("b", 10);
      meter("c", 25);
      rig.tick();
      own += marks(B1);
    }
    // 15 of 25, once c's first 25 have been joined by what b had counted.
    assertThat(own).isBetween(200 * 15L - 100, 200 * 15L + 100);
    assertThat(status(B1).congested()).isTrue();
  }

  @Test
  void whatEntersIsSpreadByTheBytesThatLeaveByEachPort() {
    lot(Signals.METERS);
    long toC = 0;
    long toD = 0;
    for (int i = 0; i < 400; i++) {
      send(1, 9, 30);
      send(3, 7, 10);
      meter("b", 12); // 9 of them leave for c, 3 for d
      meter("c", 9 + 9);
      meter("d", 3 + 3);
      rig.tick();
      toC += i < 200 ? 0 : marks(B1);
      toD += i < 200 ? 0 : marks(B2);
    }
    assertThat(toC).isBetween(1780L, 1820L);
    assertThat(toD).isBetween(590L, 610L);
  }

  @Test
  void whatEntersIsSpreadByWhatIsMarkedUpstream() {
    lot(Signals.METERS);
    // Both enter c by the same port, but only what comes from a is marked before b.
    PortId c1 = PortId.of("c", 1);
    PortId e2 = PortId.of("e", 2);
    rig.engine.putPort(c1, 50 * Rig.MBIT, CapacitySource.CONFIGURED);
    rig.engine.putPort(e2, 1000 * Rig.MBIT, CapacitySource.CONFIGURED);
    rig.engine.setLinks(
        Map.of(A1, PortId.of("b", 10), B1, PortId.of("c", 10), c1, PortId.of("e", 10)));
    Map<Long, Long> meter = Map.of(1L, 10L);
    rig.engine.setMarkMeters(Map.of("b", meter, "c", meter, "e", meter));
    rig.endpointAt(8).endpointAt(6).path(1, 8, path(A1, B1, c1, e2)).path(2, 6, path(B1, C2));
    long blamed = 0;
    for (int i = 0; i < 200; i++) {
      send(1, 8, 20);
      send(2, 6, 20);
      meter("b", 10);
      meter("c", 10);
      meter("e", 10); // By bytes alone 5 of the 10 would have left by c/2.
      rig.tick();
      blamed += i < 100 ? 0 : marks(c1);
    }
    assertThat(blamed).isZero();
  }

  @Test
  void ecmpSpreadsByItsFractions() {
    lot(Signals.METERS);
    Path spread =
        Path.of(
            List.of(
                Path.Hop.of(A1),
                Path.Hop.of(B1, 0.75),
                Path.Hop.of(B2, 0.25),
                Path.Hop.of(C2, 0.75),
                Path.Hop.of(D2, 0.25)),
            false);
    rig.endpointAt(4).path(4, 9, spread);
    long toC = 0;
    for (int i = 0; i < 200; i++) {
      send(4, 9, 30);
      meter("b", 8); // 6 leave for c, 2 for d
      meter("c", 6 + 6);
      meter("d", 2);
      rig.tick();
      toC += i < 100 ? 0 : marks(B1);
      assertThat(marks(B2)).isZero();
    }
    assertThat(toC).isBetween(590L, 610L);
  }

  @Test
  void aPortIsNotBlamedBeforeItsOwnSwitchHasBeenRead() {
    lot(Signals.METERS);
    for (int i = 0; i < 15; i++) { // b's meter was quiet: it is read every 100 ms
      send(1, 9, 20);
      meter("c", 10);
      rig.tick();
      assertThat(marks(B1)).isZero();
    }
    meter("b", 160);
    for (int i = 0; i < 50; i++) {
      send(1, 9, 20);
      meter("c", 10);
      rig.tick();
      meter("b", 10);
      assertThat(marks(B1)).isZero();
    }
    assertThat(status(B1).congested()).isFalse();
  }

  @Test
  void wherePacketsComeFromHostsAloneNothingIsWaitedFor() {
    lot(Signals.METERS);
    // b leads back to a by b/3, into a meter that is not read.
    PortId b3 = PortId.of("b", 3);
    PortId a4 = PortId.of("a", 4);
    rig.engine.putPort(b3, 50 * Rig.MBIT, CapacitySource.CONFIGURED);
    rig.engine.setLinks(Map.of(A1, PortId.of("b", 10), b3, PortId.of("a", 10)));
    rig.endpointAt(5).path(2, 5, path(b3, a4));
    for (int i = 0; i < 10; i++) {
      send(2, 5, 20);
      send(1, 9, 20);
      meter("b", 10);
      rig.tick();
      assertThat(marks(A1)).isEqualTo(10);
    }
    assertThat(status(A1).estimated()).isFalse();
  }

  @Test
  void whereTheOwnSwitchIsNeverReadMarksAreEstimates() {
    lot(Signals.METERS);
    long sum = 0;
    for (int i = 0; i < 100; i++) {
      send(1, 9, 20);
      meter("c", 10);
      rig.tick();
      sum += marks(B1);
      assertThat(marks(B1) == 0).as("tick %d", i).isEqualTo(i < 49);
    }
    assertThat(sum).as("what came before was kept").isEqualTo(1000);
    assertThat(status(B1).congested()).isTrue();
    assertThat(status(B1).estimated()).isTrue();
  }

  @Test
  void missingReadingsLoseNothing() {
    lot(Signals.METERS);
    long sum = 0;
    for (int i = 0; i < 100; i++) {
      send(2, 9, 20);
      if (i % 4 == 3) {
        rig.engine.observe(MeterSample.of("c", 1, 40, 60_000, 4 * PERIOD), rig.now());
      }
      rig.tick();
      sum += marks(B1);
    }
    assertThat(sum).isEqualTo(1000);
  }

  @Test
  void staleUnknownAndAbsurdSamplesAreRefused() {
    lot(Signals.METERS);
    send(2, 9, 20);
    meter("c", 10, rig.now() - 300 * Rig.MILLIS);
    rig.engine.observe(MeterSample.of("c", 2, 10, 15_000, PERIOD), rig.now());
    rig.engine.observe(MeterSample.of("x", 1, 10, 15_000, PERIOD), rig.now());
    rig.engine.observe(MeterSample.of("c", 1, -10, 0, PERIOD), rig.now());
    rig.engine.observe(MeterSample.of("c", 1, 10, 15_000, 2_000 * Rig.MILLIS), rig.now());
    rig.engine.observe(
        PortSample.builder(PortId.of("x", 1)).intervalNanos(PERIOD).build(), rig.now());
    queue(PortId.of("x", 1), 10, 10);
    queue(B1, 10, -1);
    rig.tick();
    assertThat(marks(B1)).isZero();
    assertThat(rig.figure(Figure.COUNTER_SAMPLES_REFUSED)).isEqualTo(8);
    assertThat(rig.figure(Figure.COUNTER_SAMPLES)).isZero();
  }

  @Property(tries = 300)
  void marksAreNeverMoreThanCountedAndNeverBelowZero(
      @ForAll @Size(min = 4, max = 60) List<@IntRange(max = 7999) Integer> readings) {
    lot(Signals.METERS);
    long counted = 0;
    long[] told = new long[3];
    for (int reading : readings) {
      send(1, 9, 20);
      send(2, 9, 20);
      send(3, 7, 20);
      String at = List.of("b", "c", "d").get(reading % 3);
      long marks = reading / 3 % 20;
      if (reading % 7 != 0) {
        meter(at, marks);
        counted += marks;
      }
      if (reading % 5 != 0) {
        rig.tick();
        int i = 0;
        for (PortId port : List.of(A1, B1, B2)) {
          assertThat(marks(port)).isNotNegative();
          told[i++] += marks(port);
        }
      }
    }
    rig.tick();
    assertThat(told[0] + told[1] + told[2]).isLessThanOrEqualTo(counted);
    long entered = rig.figure(Figure.MARKS_ENTERED);
    assertThat(rig.figure(Figure.MARKS_ATTRIBUTED) + entered).isLessThanOrEqualTo(counted);
  }

  // ---------------------------------------------------------------- precedence

  @Test
  void anAgentComesBeforeHostsAndHostsBeforeMetersAndNoneIsAddedToAnother() {
    lot(Signals.AUTO);
    for (int i = 0; i < 20; i++) {
      send(2, 9, 20);
      rig.observe(9, Rig.received(2, 9, 20, 6));
      meter("c", 7);
      queue(B1, 20, 4);
      rig.tick();
      assertThat(marks(B1)).isEqualTo(4);
    }
    assertThat(status(B1).marksFrom()).contains(MarkSource.PORTS);
    assertThat(status(B1).ceShare()).isEqualTo(0.2);

    turnsTo(MarkSource.HOSTS, 500, () -> rig.traffic(2, 9, 20, 6), () -> meter("c", 7));
    assertThat(marks(B1)).isEqualTo(6);
    turnsTo(MarkSource.METERS, 500, () -> send(2, 9, 20), () -> meter("c", 7));
    assertThat(marks(B1)).isEqualTo(7);

    rig.traffic(2, 9, 20, 6);
    meter("c", 7);
    rig.tick();
    assertThat(marks(B1)).as("with its first word").isEqualTo(6);
    queue(B1, 20, 4);
    rig.traffic(2, 9, 20, 6).tick();
    assertThat(marks(B1)).isEqualTo(4);
    assertThat(rig.journaled(Kind.MARK_SOURCE))
        .extracting(entry -> entry.decision())
        .containsExactly(
            "marks from hosts", "marks from meters", "marks from hosts", "marks from ports");
  }

  @Test
  void aSlowControllerBelievesHostsToo() {
    rig = Rig.dumbbell(1, EngineParameters.DEFAULTS.withControlPeriodNanos(1_000 * Rig.MILLIS));
    rig.tick();
    for (int i = 0; i < 3; i++) {
      rig.traffic(1, 9, 100, 10).tick();
      assertThat(rig.status(1).marksFrom()).contains(MarkSource.HOSTS);
      assertThat(rig.status(1).congested()).isTrue();
    }
  }

  /** Lets periods pass until another source holds, and checks for how long the last one did. */
  private void turnsTo(MarkSource wanted, long millis, Runnable... what) {
    int periods = 0;
    while (!status(B1).marksFrom().equals(Optional.of(wanted))) {
      for (Runnable one : what) {
        one.run();
      }
      rig.tick();
      assertThat(++periods).isLessThan(1000);
    }
    assertThat((double) periods * 5).isCloseTo(millis, within(10.0));
  }

  @Test
  void oneSourceAloneWhereTheOperatorSaysSo() {
    for (Signals one : List.of(Signals.HOSTS, Signals.METERS, Signals.PORTS)) {
      lot(one);
      for (int i = 0; i < 10; i++) {
        rig.traffic(2, 9, 20, 6);
        meter("c", 5);
        queue(B1, 20, 4);
        rig.tick();
      }
      long expected = one == Signals.HOSTS ? 6 : one == Signals.METERS ? 5 : 4;
      // Hosts do not know which of two ports of a path: the smaller one.
      assertThat(marks(B1)).isEqualTo(expected);
      assertThat(status(B1).marksFrom().map(Enum::name)).contains(one.name());
    }
  }

  @Test
  void aPortWithoutTheOneSourceAllowedHasNoMarks() {
    lot(Signals.PORTS);
    for (int i = 0; i < 10; i++) {
      rig.traffic(2, 9, 20, 6);
      meter("c", 5);
      rig.tick();
    }
    assertThat(status(B1).marksFrom()).isEmpty();
    assertThat(status(B1).congested()).isFalse();
  }

  // ---------------------------------------------------------------- hosts, told apart exactly

  @Test
  void hostsMarksGoToThePortsThatMetersSayMark() {
    lot(Signals.AUTO);
    long[] sums = new long[3];
    for (int i = 0; i < 200; i++) {
      // a/1 marks 8 of 20; b/1 6 of the 12 left of them and none of the other pair.
      rig.traffic(1, 9, 20, 14);
      meter("b", 8);
      meter("c", 14);
      port(A1, 20);
      port(B1, 20);
      rig.tick();
      if (i >= 100) {
        sums[0] += marks(A1);
        sums[1] += marks(B1);
        sums[2] += marks(C2);
      }
    }
    assertThat(status(A1).marksFrom()).contains(MarkSource.HOSTS);
    assertThat(sums[0]).isCloseTo(800, within(110L));
    assertThat(sums[1]).isCloseTo(600, within(110L));
    assertThat(sums[2]).isZero();
    assertThat(sums[0] + sums[1]).isEqualTo(1400);
  }

  @Test
  void anEdgePortsMarksAreThoseThatHadNotEntered() {
    lot(Signals.AUTO);
    long edge = 0;
    long core = 0;
    for (int i = 0; i < 200; i++) {
      rig.traffic(2, 9, 20, 15);
      meter("b", 0);
      meter("c", 5);
      port(B1, 20);
      rig.tick();
      edge += i < 100 ? 0 : marks(C2);
      core += i < 100 ? 0 : marks(B1);
    }
    assertThat(edge).isCloseTo(1000, within(100L));
    assertThat(core).isCloseTo(500, within(100L));
  }

  @Test
  void portsThatMetersKnowToBeSilentAreNoCandidates() {
    lot(Signals.AUTO);
    rig.engine.setMarkMeters(Map.of("b", Map.of(1L, 10L)));
    for (int i = 0; i < 50; i++) {
      rig.traffic(3, 7, 20, 0).traffic(1, 9, 20, 5); // a/1 is twice as busy as b/1
      meter("b", 0);
      rig.tick();
      assertThat(i > 2 && marks(A1) > 0).isFalse();
    }
    assertThat(marks(B1)).isEqualTo(5);
  }

  // ---------------------------------------------------------------- notices under Sluice's law

  @Test
  void everySourceHearsTheSameMarkedPart() {
    lot(Signals.METERS);
    for (int i = 0; i < 40; i++) {
      send(1, 9, 30);
      send(2, 9, 10);
      meter("b", 0);
      meter("c", 10);
      port(B1, 40);
      rig.tick();
    }
    Notice one = rig.noticesTo(1).get(0);
    Notice two = rig.noticesTo(2).get(0);
    assertThat(one.port()).isEqualTo(B1);
    assertThat(one.marks() / one.packets()).isCloseTo(0.25, within(0.001));
    assertThat(two.marks() / two.packets()).isCloseTo(0.25, within(0.001));
    assertThat(one.packets()).isCloseTo(30, within(0.1));
    assertThat(one.packets() + two.packets()).isCloseTo(40, within(0.1));
    assertThat(one.periodNanos()).isEqualTo(PERIOD);
    assertThat(one.capacityBitsPerSecond()).isEqualTo(50 * Rig.MBIT);
    assertThat(one.destinations()).containsExactly(Rig.ip(9));
    assertThat(rig.noticesTo(3)).isEmpty();

    meter("c", 0);
    rig.tick();
    assertThat(rig.noticesTo(1).get(0).marks()).as("once more, without marks").isZero();
    meter("c", 0);
    rig.tick();
    assertThat(rig.notices).isEmpty();
  }

  @Test
  void aMarkedPartHoldsUntilTheNextReading() {
    lot(Signals.METERS);
    for (int i = 0; i < 20; i++) {
      send(2, 9, 20);
      meter("c", 10);
      port(B1, 20);
      rig.tick();
    }
    for (int i = 1; i <= 6; i++) {
      send(2, 9, 20);
      rig.tick();
      assertThat(rig.noticesTo(2)).hasSize(i <= 4 ? 1 : 0);
    }
  }

  @Test
  void aPortAgentsMarksAreWhatFoundMoreThanTheThreshold() {
    lot(Signals.PORTS);
    send(2, 9, 20);
    queue(B1, 20, 12);
    rig.tick();
    assertThat(status(B1).ceShare()).isEqualTo(0.6);
    Notice notice = rig.noticesTo(2).get(0);
    assertThat(notice.marks() / notice.packets()).isCloseTo(0.6, within(1e-9));
  }

  @Test
  void whereReceiversTellNoNoticesAreSent() {
    lot(Signals.AUTO);
    for (int i = 0; i < 50; i++) {
      rig.traffic(2, 9, 20, 6);
      meter("c", 6);
      rig.tick();
      assertThat(rig.notices).isEmpty();
    }
    assertThat(status(B1).congested()).isTrue();
  }

  @Test
  void aSourceWhoseReceiverDoesNotTellHearsByNotice() {
    lot(Signals.AUTO);
    for (int i = 0; i < 50; i++) {
      send(2, 9, 20);
      meter("c", 6);
      rig.tick();
    }
    assertThat(status(B1).marksFrom()).contains(MarkSource.METERS);
    assertThat(rig.noticesTo(2)).hasSize(1);
    assertThat(rig.noticesTo(2).get(0).port()).isEqualTo(B1);
  }

  @Test
  void aSourceWhosePacketsAreLostHearsNoNoticeWhereItsReceiversHostTells() {
    lot(Signals.AUTO);
    for (int i = 0; i < 100; i++) {
      rig.traffic(2, 9, 20, 6);
      send(1, 9, 20); // nothing of it has arrived
      rig.tick();
      assertThat(rig.notices).isEmpty();
    }
    assertThat(status(B1).congested()).isTrue();

    boolean isTold = false;
    for (int i = 0; i < 200; i++) {
      send(2, 9, 20);
      send(1, 9, 20); // and now 9's host has fallen silent
      meter("c", 10);
      rig.tick();
      isTold |= !rig.noticesTo(1).isEmpty();
    }
    assertThat(isTold).isTrue();
  }

  @Test
  void aReceiversHostHasTimeToTellBeforeNoticesDo() {
    lot(Signals.AUTO);
    for (int i = 0; i < 10; i++) {
      send(1, 9, 20);
      queue(B1, 20, 10);
      rig.tick();
      assertThat(rig.notices).isEmpty();
    }
    for (int i = 0; i < 40; i++) {
      send(1, 9, 20);
      queue(B1, 20, 10);
      rig.tick();
    }
    assertThat(rig.noticesTo(1)).isNotEmpty();
  }

  @Test
  void thePapersLawDividesTheSameMarks() {
    lot(EngineParameters.DEFAULTS.withLaw(Law.PAPER).withSignals(Signals.METERS));
    double sum = 0;
    for (int i = 0; i < 40; i++) {
      send(1, 9, 20);
      send(2, 9, 20);
      meter("b", 0);
      meter("c", 10);
      rig.tick();
      sum = rig.notices.stream().mapToDouble(told -> told.message.marks()).sum();
    }
    assertThat(sum).isCloseTo(10, within(1e-9));
    assertThat(rig.notices).allMatch(told -> told.message.packets() == 0);
  }
}

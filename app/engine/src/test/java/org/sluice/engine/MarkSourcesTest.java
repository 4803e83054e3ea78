// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus.CapacitySource;
import org.sluice.api.PortStatus.MarkSource;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.engine.marks.Signals;
import org.sluice.engine.path.Path;
import org.sluice.engine.statistics.EngineStatistics.Figure;

/** Whose a mark is: what had entered a switch marked is not its ports' own. */
class MarkSourcesTest extends ParkingLotFixture {

  @Test
  void enteringMarksAreNotAttributedToThePort() {
    lot(Signals.METERS);
    long first = 0;
    for (int i = 0; i < 100; i++) {
      send(1, 9, 20);
      // What b has counted now c counts later, and not in equal parts.
      meter("b", 10 + i % 3);
      meter("c", i == 0 ? 0 : 10 + (i + 2) % 3);
      fixture.tick();
      first += marks(A1);
      assertThat(marks(B1)).isZero();
    }
    assertThat(first).isEqualTo(100 * 10 + 99);
    assertThat(status(A1).congested()).isTrue();
    assertThat(status(A1).marksFrom()).contains(MarkSource.METERS);
    assertThat(status(B1).ceShare()).isZero();
    assertThat(fixture.figure(Figure.MARKS_ENTERED)).isGreaterThan(900);
  }

  @Test
  void marksBeyondThoseEnteringAreAttributedToThePort() {
    lot(Signals.METERS);
    long own = 0;
    for (int i = 0; i < 200; i++) {
      send(1, 9, 20);
      send(2, 9, 20);
      meter("b", 10);
      meter("c", 25);
      fixture.tick();
      own += marks(B1);
    }
    // 15 of 25, once c's first 25 have been joined by what b had counted.
    assertThat(own).isBetween(200 * 15L - 100, 200 * 15L + 100);
    assertThat(status(B1).congested()).isTrue();
  }

  @Test
  void enteringMarksAreDistributedByBytesPerEgressPort() {
    lot(Signals.METERS);
    long toC = 0;
    long toD = 0;
    for (int i = 0; i < 400; i++) {
      send(1, 9, 30);
      send(3, 7, 10);
      meter("b", 12); // 9 of them leave for c, 3 for d
      meter("c", 9 + 9);
      meter("d", 3 + 3);
      fixture.tick();
      toC += i < 200 ? 0 : marks(B1);
      toD += i < 200 ? 0 : marks(B2);
    }
    assertThat(toC).isBetween(1780L, 1820L);
    assertThat(toD).isBetween(590L, 610L);
  }

  @Test
  void enteringMarksAreDistributedByUpstreamMarks() {
    lot(Signals.METERS);
    // Both enter c by the same port, but only what comes from a is marked before b.
    PortId c1 = PortId.of("c", 1);
    PortId e2 = PortId.of("e", 2);
    fixture.engine.putPort(c1, 50 * EngineFixture.MBIT, CapacitySource.CONFIGURED);
    fixture.engine.putPort(e2, 1000 * EngineFixture.MBIT, CapacitySource.CONFIGURED);
    fixture.engine.setLinks(
        Map.of(A1, PortId.of("b", 10), B1, PortId.of("c", 10), c1, PortId.of("e", 10)));
    Map<Long, Long> meter = Map.of(1L, 10L);
    fixture.engine.setMarkMeters(Map.of("b", meter, "c", meter, "e", meter));
    fixture.endpointAt(8).endpointAt(6).path(1, 8, path(A1, B1, c1, e2)).path(2, 6, path(B1, C2));
    long blamed = 0;
    for (int i = 0; i < 200; i++) {
      send(1, 8, 20);
      send(2, 6, 20);
      meter("b", 10);
      meter("c", 10);
      meter("e", 10); // By bytes alone 5 of the 10 would have left by c/2.
      fixture.tick();
      blamed += i < 100 ? 0 : marks(c1);
    }
    assertThat(blamed).isZero();
  }

  @Test
  void enteringMarksAreDistributedByEcmpFractions() {
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
    fixture.endpointAt(4).path(4, 9, spread);
    long toC = 0;
    for (int i = 0; i < 200; i++) {
      send(4, 9, 30);
      meter("b", 8); // 6 leave for c, 2 for d
      meter("c", 6 + 6);
      meter("d", 2);
      fixture.tick();
      toC += i < 100 ? 0 : marks(B1);
      assertThat(marks(B2)).isZero();
    }
    assertThat(toC).isBetween(590L, 610L);
  }

  @Test
  void marksAreAttributedOnlyAfterThePortsSwitchWasRead() {
    lot(Signals.METERS);
    for (int i = 0; i < 15; i++) { // b's meter was quiet: it is read every 100 ms
      send(1, 9, 20);
      meter("c", 10);
      fixture.tick();
      assertThat(marks(B1)).isZero();
    }
    meter("b", 160);
    for (int i = 0; i < 50; i++) {
      send(1, 9, 20);
      meter("c", 10);
      fixture.tick();
      meter("b", 10);
      assertThat(marks(B1)).isZero();
    }
    assertThat(status(B1).ceShare()).isZero();
  }

  @Test
  void portsFedByHostsAloneNeedNoFurtherReading() {
    lot(Signals.METERS);
    // b leads back to a by b/3, into a meter that is not read.
    PortId b3 = PortId.of("b", 3);
    PortId a4 = PortId.of("a", 4);
    fixture.engine.putPort(b3, 50 * EngineFixture.MBIT, CapacitySource.CONFIGURED);
    fixture.engine.setLinks(Map.of(A1, PortId.of("b", 10), b3, PortId.of("a", 10)));
    fixture.endpointAt(5).path(2, 5, path(b3, a4));
    for (int i = 0; i < 10; i++) {
      send(2, 5, 20);
      send(1, 9, 20);
      meter("b", 10);
      fixture.tick();
      assertThat(marks(A1)).isEqualTo(10);
    }
    assertThat(status(A1).estimated()).isFalse();
  }

  @Test
  void marksAreEstimatedWhereThePortsSwitchIsNeverRead() {
    lot(Signals.METERS);
    long sum = 0;
    for (int i = 0; i < 100; i++) {
      send(1, 9, 20);
      meter("c", 10);
      fixture.tick();
      sum += marks(B1);
      assertThat(marks(B1) == 0).as("tick %d", i).isEqualTo(i < 49);
    }
    assertThat(sum).as("what came before was kept").isEqualTo(1000);
    assertThat(status(B1).congested()).isTrue();
    assertThat(status(B1).estimated()).isTrue();
  }

  @Test
  void missingReadingsLoseNoMarks() {
    lot(Signals.METERS);
    long sum = 0;
    for (int i = 0; i < 100; i++) {
      send(2, 9, 20);
      if (i % 4 == 3) {
        fixture.engine.observe(MeterSample.of("c", 1, 40, 60_000, 4 * PERIOD), fixture.now());
      }
      fixture.tick();
      sum += marks(B1);
    }
    assertThat(sum).isEqualTo(1000);
  }

  @Test
  void staleUnknownAndImplausibleSamplesAreRejected() {
    lot(Signals.METERS);
    send(2, 9, 20);
    meter("c", 10, fixture.now() - 300 * EngineFixture.MILLIS);
    fixture.engine.observe(MeterSample.of("c", 2, 10, 15_000, PERIOD), fixture.now());
    fixture.engine.observe(MeterSample.of("x", 1, 10, 15_000, PERIOD), fixture.now());
    fixture.engine.observe(MeterSample.of("c", 1, -10, 0, PERIOD), fixture.now());
    fixture.engine.observe(
        MeterSample.of("c", 1, 10, 15_000, 2_000 * EngineFixture.MILLIS), fixture.now());
    fixture.engine.observe(
        PortSample.builder(PortId.of("x", 1)).intervalNanos(PERIOD).build(), fixture.now());
    queue(PortId.of("x", 1), 10, 10);
    queue(B1, 10, -1);
    fixture.tick();
    assertThat(marks(B1)).isZero();
    assertThat(fixture.figure(Figure.COUNTER_SAMPLES_REFUSED)).isEqualTo(8);
    assertThat(fixture.figure(Figure.COUNTER_SAMPLES)).isZero();
  }

  @Property(tries = 300)
  void attributedMarksAreBoundedByCountedMarksAndZero(
      @ForAll @Size(min = 4, max = 60) List<@IntRange(max = 7999) Integer> readings) {
    lot(Signals.METERS);
    long counted = 0;
    long[] reported = new long[3];
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
        fixture.tick();
        int i = 0;
        for (PortId port : List.of(A1, B1, B2)) {
          assertThat(marks(port)).isNotNegative();
          reported[i++] += marks(port);
        }
      }
    }
    fixture.tick();
    assertThat(reported[0] + reported[1] + reported[2]).isLessThanOrEqualTo(counted);
    long entered = fixture.figure(Figure.MARKS_ENTERED);
    assertThat(fixture.figure(Figure.MARKS_ATTRIBUTED) + entered).isLessThanOrEqualTo(counted);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sluice.api.JournalEntry.Kind;
import org.sluice.api.PortStatus.MarkSource;
import org.sluice.engine.marks.Signals;

/** Which source of a port's marks counts, of those that report. */
class MarkPrecedenceTest extends ParkingLotFixture {

  @Test
  void portAgentsPrecedeHostsAndHostsPrecedeMetersWithoutSumming() {
    lot(Signals.AUTO);
    for (int i = 0; i < 20; i++) {
      send(2, 9, 20);
      fixture.observe(9, EngineFixture.received(2, 9, 20, 6));
      meter("c", 7);
      queue(B1, 20, 4);
      fixture.tick();
      assertThat(marks(B1)).isEqualTo(4);
    }
    assertThat(status(B1).marksFrom()).contains(MarkSource.PORTS);
    assertThat(status(B1).ceShare()).isEqualTo(0.2);

    turnsTo(MarkSource.HOSTS, 500, () -> fixture.traffic(2, 9, 20, 6), () -> meter("c", 7));
    assertThat(marks(B1)).isEqualTo(6);
    turnsTo(MarkSource.METERS, 500, () -> send(2, 9, 20), () -> meter("c", 7));
    assertThat(marks(B1)).isEqualTo(7);

    fixture.traffic(2, 9, 20, 6);
    meter("c", 7);
    fixture.tick();
    assertThat(marks(B1)).as("with its first word").isEqualTo(6);
    queue(B1, 20, 4);
    fixture.traffic(2, 9, 20, 6).tick();
    assertThat(marks(B1)).isEqualTo(4);
    assertThat(fixture.journaled(Kind.MARK_SOURCE))
        .extracting(entry -> entry.decision())
        .containsExactly(
            "marks are counted by the receivers' hosts",
            "marks are counted by the switch that it leads to",
            "marks are counted by the receivers' hosts",
            "marks are counted by the port's agent");
  }

  @Test
  void hostMarksCountWithALongControlPeriodToo() {
    fixture =
        EngineFixture.dumbbell(
            1, EngineParameters.DEFAULTS.withControlPeriodNanos(1_000 * EngineFixture.MILLIS));
    fixture.tick();
    for (int i = 0; i < 3; i++) {
      fixture.traffic(1, 9, 100, 10).tick();
      assertThat(fixture.status(1).marksFrom()).contains(MarkSource.HOSTS);
      assertThat(fixture.status(1).congested()).isTrue();
    }
  }

  /** Lets periods pass until another source holds, and checks for how long the last one did. */
  private void turnsTo(MarkSource wanted, long millis, Runnable... what) {
    int periods = 0;
    while (!status(B1).marksFrom().equals(Optional.of(wanted))) {
      for (Runnable one : what) {
        one.run();
      }
      fixture.tick();
      assertThat(++periods).isLessThan(1000);
    }
    assertThat((double) periods * 5).isCloseTo(millis, within(10.0));
  }

  @Test
  void configuredSourceIsUsedAlone() {
    for (Signals one : List.of(Signals.HOSTS, Signals.METERS, Signals.PORTS)) {
      lot(one);
      for (int i = 0; i < 10; i++) {
        fixture.traffic(2, 9, 20, 6);
        meter("c", 5);
        queue(B1, 20, 4);
        fixture.tick();
      }
      long expected = one == Signals.HOSTS ? 6 : one == Signals.METERS ? 5 : 4;
      // Hosts do not know which of two ports of a path: the smaller one.
      assertThat(marks(B1)).isEqualTo(expected);
      assertThat(status(B1).marksFrom().map(Enum::name)).contains(one.name());
    }
  }

  @Test
  void portWithoutTheConfiguredSourceHasNoMarks() {
    lot(Signals.PORTS);
    for (int i = 0; i < 10; i++) {
      fixture.traffic(2, 9, 20, 6);
      meter("c", 5);
      fixture.tick();
    }
    assertThat(status(B1).marksFrom()).isEmpty();
    assertThat(status(B1).ceShare()).isZero();
  }

  // ---------------------------------------------------------------- hosts, divided exactly

  @Test
  void marksOfHostsAreAttributedToPortsWithMeteredMarks() {
    lot(Signals.AUTO);
    long[] sums = new long[3];
    for (int i = 0; i < 200; i++) {
      // a/1 marks 8 of 20; b/1 6 of the 12 left of them and none of the other pair.
      fixture.traffic(1, 9, 20, 14);
      meter("b", 8);
      meter("c", 14);
      port(A1, 20);
      port(B1, 20);
      fixture.tick();
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
  void edgePortMarksExcludeMarksThatEnteredTheSwitch() {
    lot(Signals.AUTO);
    long edge = 0;
    long core = 0;
    for (int i = 0; i < 200; i++) {
      fixture.traffic(2, 9, 20, 15);
      meter("b", 0);
      meter("c", 5);
      port(B1, 20);
      fixture.tick();
      edge += i < 100 ? 0 : marks(C2);
      core += i < 100 ? 0 : marks(B1);
    }
    assertThat(edge).isCloseTo(1000, within(100L));
    assertThat(core).isCloseTo(500, within(100L));
  }

  @Test
  void portsWithoutMeteredMarksAreNotCandidates() {
    lot(Signals.AUTO);
    fixture.engine.setMarkMeters(Map.of("b", Map.of(1L, 10L)));
    for (int i = 0; i < 50; i++) {
      fixture.traffic(3, 7, 20, 0).traffic(1, 9, 20, 5); // a/1 is twice as busy as b/1
      meter("b", 0);
      fixture.tick();
      assertThat(i > 2 && marks(A1) > 0).isFalse();
    }
    assertThat(marks(B1)).isEqualTo(5);
  }
}

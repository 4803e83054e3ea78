// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.sluice.api.Law;
import org.sluice.api.PortStatus.MarkSource;
import org.sluice.api.link.Notice;
import org.sluice.engine.marks.Signals;

/** Who is notified of marks that switches and port agents report. */
class MarkNoticesTest extends ParkingLotFixture {

  @Test
  void everySourceGetsTheSameMarkedFraction() {
    lot(Signals.METERS);
    for (int i = 0; i < 40; i++) {
      send(1, 9, 30);
      send(2, 9, 10);
      meter("b", 0);
      meter("c", 10);
      port(B1, 40);
      fixture.tick();
    }
    Notice one = fixture.noticesTo(1).get(0);
    Notice two = fixture.noticesTo(2).get(0);
    assertThat(one.port()).isEqualTo(B1);
    assertThat(one.marks() / one.packets()).isCloseTo(0.25, within(0.001));
    assertThat(two.marks() / two.packets()).isCloseTo(0.25, within(0.001));
    assertThat(one.packets()).isCloseTo(30, within(0.1));
    assertThat(one.packets() + two.packets()).isCloseTo(40, within(0.1));
    assertThat(one.periodNanos()).isEqualTo(PERIOD);
    assertThat(one.capacityBitsPerSecond()).isEqualTo(50 * EngineFixture.MBIT);
    assertThat(one.destinations()).containsExactly(EngineFixture.ip(9));
    assertThat(fixture.noticesTo(3)).isEmpty();

    meter("c", 0);
    fixture.tick();
    assertThat(fixture.noticesTo(1).get(0).marks()).as("once more, without marks").isZero();
    meter("c", 0);
    fixture.tick();
    assertThat(fixture.notices).isEmpty();
  }

  @Test
  void newSourcesAreNotifiedAtOnceAndPacketCountsFollowRatesWithinFortyMilliseconds() {
    lot(Signals.METERS);
    for (int i = 0; i < 100; i++) {
      boolean isThere = i >= 50;
      send(2, 9, 20);
      if (isThere) {
        send(1, 9, 20);
      }
      meter("c", 10);
      port(B1, 40);
      fixture.tick();
      assertThat(fixture.noticesTo(1)).as("tick %d", i).hasSize(isThere ? 1 : 0);
    }
    assertThat(fixture.noticesTo(1).get(0).packets()).isCloseTo(20, within(0.5));
    for (int i = 0; i < 60; i++) {
      send(2, 9, 20);
      send(1, 9, 60);
      meter("c", 10);
      port(B1, 80);
      fixture.tick();
    }
    // Three of four packets; what is reported may be as old as 8 ticks, when it was a little less.
    double packets = fixture.noticesTo(1).get(0).packets();
    assertThat(packets / fixture.noticesTo(2).get(0).packets()).isCloseTo(3, within(0.05));
    assertThat(fixture.noticesTo(1).get(0).marks() / packets).isCloseTo(0.125, within(0.01));
  }

  @Test
  void markedFractionHoldsUntilTheNextReading() {
    lot(Signals.METERS);
    for (int i = 0; i < 20; i++) {
      send(2, 9, 20);
      meter("c", 10);
      port(B1, 20);
      fixture.tick();
    }
    for (int i = 1; i <= 6; i++) {
      send(2, 9, 20);
      fixture.tick();
      assertThat(fixture.noticesTo(2)).hasSize(i <= 4 ? 1 : 0);
    }
  }

  @Test
  void portAgentMarksArePacketsThatFoundTheQueueOverTheThreshold() {
    lot(Signals.PORTS);
    send(2, 9, 20);
    queue(B1, 20, 12);
    fixture.tick();
    assertThat(status(B1).ceShare()).isEqualTo(0.6);
    Notice notice = fixture.noticesTo(2).get(0);
    assertThat(notice.marks() / notice.packets()).isCloseTo(0.6, within(1e-9));
  }

  @Test
  void noNoticesAreSentWhereReceiversReportMarks() {
    lot(Signals.AUTO);
    for (int i = 0; i < 50; i++) {
      fixture.traffic(2, 9, 20, 6);
      meter("c", 6);
      fixture.tick();
      assertThat(fixture.notices).isEmpty();
    }
    assertThat(status(B1).congested()).isTrue();
  }

  @Test
  void aSourceWithAnUnreportedReceiverIsNotified() {
    lot(Signals.AUTO);
    for (int i = 0; i < 50; i++) {
      send(2, 9, 20);
      meter("c", 6);
      fixture.tick();
    }
    assertThat(status(B1).marksFrom()).contains(MarkSource.METERS);
    assertThat(fixture.noticesTo(2)).hasSize(1);
    assertThat(fixture.noticesTo(2).get(0).port()).isEqualTo(B1);
  }

  @Test
  void sourceOfLostPacketsIsNotNotifiedWhereTheReceiversHostReports() {
    lot(Signals.AUTO);
    for (int i = 0; i < 100; i++) {
      fixture.traffic(2, 9, 20, 6);
      send(1, 9, 20); // nothing of it has arrived
      fixture.tick();
      assertThat(fixture.notices).isEmpty();
    }
    assertThat(status(B1).congested()).isTrue();

    boolean isNotified = false;
    for (int i = 0; i < 200; i++) {
      send(2, 9, 20);
      send(1, 9, 20); // and now 9's host does not report any longer
      meter("c", 10);
      fixture.tick();
      isNotified |= !fixture.noticesTo(1).isEmpty();
    }
    assertThat(isNotified).isTrue();
  }

  @Test
  void noticesWaitForReportsOfTheReceiversHost() {
    lot(Signals.AUTO);
    for (int i = 0; i < 10; i++) {
      send(1, 9, 20);
      queue(B1, 20, 10);
      fixture.tick();
      assertThat(fixture.notices).isEmpty();
    }
    for (int i = 0; i < 40; i++) {
      send(1, 9, 20);
      queue(B1, 20, 10);
      fixture.tick();
    }
    assertThat(fixture.noticesTo(1)).isNotEmpty();
  }

  @Test
  void sdnGccSplitsTheSameMarks() {
    lot(EngineParameters.DEFAULTS.withLaw(Law.SDN_GCC).withSignals(Signals.METERS));
    double sum = 0;
    for (int i = 0; i < 40; i++) {
      send(1, 9, 20);
      send(2, 9, 20);
      meter("b", 0);
      meter("c", 10);
      fixture.tick();
      sum = fixture.notices.stream().mapToDouble(sent -> sent.message.marks()).sum();
    }
    assertThat(sum).isCloseTo(10, within(1e-9));
    assertThat(fixture.notices).allMatch(sent -> sent.message.packets() == 0);
  }
}

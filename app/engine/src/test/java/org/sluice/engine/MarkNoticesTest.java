// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.sluice.api.Law;
import org.sluice.api.PortStatus.MarkSource;
import org.sluice.api.link.Notice;
import org.sluice.engine.marks.Signals;

/** Who hears by notice of marks that switches and port agents tell of. */
class MarkNoticesTest extends ParkingLotFixture {

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
    assertThat(one.capacityBitsPerSecond()).isEqualTo(50 * EngineFixture.MBIT);
    assertThat(one.destinations()).containsExactly(EngineFixture.ip(9));
    assertThat(rig.noticesTo(3)).isEmpty();

    meter("c", 0);
    rig.tick();
    assertThat(rig.noticesTo(1).get(0).marks()).as("once more, without marks").isZero();
    meter("c", 0);
    rig.tick();
    assertThat(rig.notices).isEmpty();
  }

  @Test
  void newcomersHearAtOnceAndPacketsFollowRatesWithinFortyMilliseconds() {
    lot(Signals.METERS);
    for (int i = 0; i < 100; i++) {
      boolean isThere = i >= 50;
      send(2, 9, 20);
      if (isThere) {
        send(1, 9, 20);
      }
      meter("c", 10);
      port(B1, 40);
      rig.tick();
      assertThat(rig.noticesTo(1)).as("tick %d", i).hasSize(isThere ? 1 : 0);
    }
    assertThat(rig.noticesTo(1).get(0).packets()).isCloseTo(20, within(0.5));
    for (int i = 0; i < 60; i++) {
      send(2, 9, 20);
      send(1, 9, 60);
      meter("c", 10);
      port(B1, 80);
      rig.tick();
    }
    // Three of four packets; what is told may be as old as 8 ticks, when it was a little less.
    double packets = rig.noticesTo(1).get(0).packets();
    assertThat(packets / rig.noticesTo(2).get(0).packets()).isCloseTo(3, within(0.05));
    assertThat(rig.noticesTo(1).get(0).marks() / packets).isCloseTo(0.125, within(0.01));
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
    lot(EngineParameters.DEFAULTS.withLaw(Law.SDN_GCC).withSignals(Signals.METERS));
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

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sluice.api.JournalEntry.Kind;
import org.sluice.engine.statistics.EngineStatistics.Figure;

/** Paths that are requested, cached, changed and missing. */
class TopologyTest {

  @Test
  void pathIsQueriedOncePerPairAndEpoch() {
    EngineFixture fixture = EngineFixture.dumbbell(1);
    for (int i = 0; i < 50; i++) {
      fixture.traffic(1, 9, 10, 1).tick();
    }
    assertThat(fixture.lookups).isEqualTo(1);
    fixture.topologyChanged();
    for (int i = 0; i < 50; i++) {
      fixture.traffic(1, 9, 10, 1).tick();
    }
    assertThat(fixture.lookups).isEqualTo(2);
  }

  @Test
  void movedPairTransfersItsLoadAndWeight() {
    EngineFixture fixture = EngineFixture.dumbbell(2).portOf(3, 50);
    fixture.traffic(1, 9, 10, 1).traffic(2, 9, 10, 0).tick();
    fixture.path(1, 9, 3, 2).topologyChanged();
    fixture.traffic(1, 9, 10, 0).traffic(2, 9, 10, 0).tick();
    assertThat(fixture.status(1).activeEndpoints()).isEqualTo(1);
    assertThat(fixture.load(1)).isEqualTo(24_000_000);
    assertThat(fixture.load(3)).isEqualTo(24_000_000);
    assertThat(fixture.load(2)).isEqualTo(48_000_000);
    assertThat(fixture.sharesTo(1)).as("its part at port 1 is over").hasSize(1);
    assertThat(fixture.sharesTo(1).get(0).expired()).isTrue();
    assertThat(fixture.sharesTo(2).get(0).unitShareBitsPerSecond()).isEqualTo(50_000_000);
  }

  @Test
  void pathOfAMarkedPairIsQueriedBeforeAttribution() {
    EngineFixture fixture = EngineFixture.dumbbell(1).portOf(3, 50).traffic(1, 9, 10, 0).tick();
    fixture.path(1, 9, 3).topologyChanged().tick();
    fixture.traffic(1, 9, 10, 1).tick();
    assertThat(fixture.status(3).congested()).isTrue();
    assertThat(fixture.status(1).congested()).isFalse();
  }

  @Test
  void marksOfAnExpiredPairAreDiscarded() {
    EngineFixture fixture = EngineFixture.dumbbell(1).traffic(1, 9, 10, 5);
    fixture.engine.removeEndpoint(EngineFixture.endpoint(1));
    fixture.tick();
    assertThat(fixture.status(1).congested()).isFalse();
    assertThat(fixture.figure(Figure.MARKS_ATTRIBUTED)).isZero();
  }

  @Test
  void unknownPathIsCountedAndJournaledOnce() {
    EngineFixture fixture = EngineFixture.dumbbell(2).noPath(1, 9).noPath(2, 9);
    for (int i = 0; i < 20; i++) {
      fixture.traffic(1, 9, 10, 3).traffic(2, 9, 10, 0).tick();
    }
    assertThat(fixture.shares).isEmpty();
    assertThat(fixture.figure(Figure.UNKNOWN_PATH_PAIRS)).isEqualTo(2);
    assertThat(fixture.figure(Figure.MARKS_UNATTRIBUTED)).isEqualTo(60);
    assertThat(fixture.journaled(Kind.REFUSED)).hasSize(1);
    assertThat(fixture.journaled(Kind.REFUSED).get(0).endpoint())
        .contains(EngineFixture.endpoint(1));
    assertThat(fixture.journaled(Kind.REFUSED).get(0).evidence())
        .isEqualTo("no path is known from h1/vm0 to 10.0.0.10, the first such pair");
  }

  @Test
  void pathFoundLaterIsUsedAndItsLossJournaledAgain() {
    EngineFixture fixture = EngineFixture.dumbbell(1).noPath(1, 9).traffic(1, 9, 10, 3).tick();
    fixture.path(1, 9, 1, 2).topologyChanged().tick();
    assertThat(fixture.figure(Figure.UNKNOWN_PATH_PAIRS)).isZero();
    fixture.traffic(1, 9, 10, 3).tick();
    assertThat(fixture.status(1).congested()).isTrue();
    fixture.noPath(1, 9).topologyChanged().tick().tick();
    assertThat(fixture.figure(Figure.UNKNOWN_PATH_PAIRS)).isEqualTo(1);
    assertThat(fixture.status(1).activeEndpoints()).isZero();
    assertThat(fixture.journaled(Kind.REFUSED)).hasSize(2);
  }

  @Test
  void pathIsFoundEvenIfTheOracleDoesNotAdvanceItsEpoch() {
    EngineFixture fixture = EngineFixture.dumbbell(1).noPath(1, 9).traffic(1, 9, 10, 0).tick();
    fixture.path(1, 9, 1, 2);
    for (int i = 0; i < 600; i++) {
      fixture.traffic(1, 9, 10, 0).tick();
    }
    assertThat(fixture.figure(Figure.UNKNOWN_PATH_PAIRS)).isZero();
  }

  @Test
  void frequentTopologyChangesUpdateEveryPairAtALimitedQueryRate() {
    EngineFixture fixture = new EngineFixture().portOf(1, 1000).portOf(3, 1000).endpointAt(9);
    int pairs = 5000;
    for (int n = 10; n < 10 + pairs; n++) {
      fixture.endpointAt(n).path(n, 9, 1).observe(n, EngineFixture.sent(n, 9, 1));
    }
    fixture.tick();
    for (int n = 10; n < 10 + pairs; n++) {
      fixture.path(n, 9, 3);
    }
    fixture.lookups = 0;
    for (int i = 0; i < 3; i++) {
      fixture.topologyChanged().tick();
    }
    assertThat(fixture.lookups).isEqualTo(6000);
    assertThat(fixture.status(1).activeEndpoints()).isZero();
    assertThat(fixture.status(3).activeEndpoints()).isEqualTo(pairs);
  }
}

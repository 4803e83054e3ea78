// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sluice.api.JournalEntry.Kind;
import org.sluice.engine.statistics.EngineStatistics.Figure;

/** Paths that are asked for, cached, changed and missing. */
class TopologyTest {

  @Test
  void pathIsAskedOncePerPairAndEpoch() {
    EngineFixture rig = EngineFixture.dumbbell(1);
    for (int i = 0; i < 50; i++) {
      rig.traffic(1, 9, 10, 1).tick();
    }
    assertThat(rig.questions).isEqualTo(1);
    rig.topologyChanged();
    for (int i = 0; i < 50; i++) {
      rig.traffic(1, 9, 10, 1).tick();
    }
    assertThat(rig.questions).isEqualTo(2);
  }

  @Test
  void movedPairTakesLoadAndWeightAlong() {
    EngineFixture rig = EngineFixture.dumbbell(2).portOf(3, 50);
    rig.traffic(1, 9, 10, 1).traffic(2, 9, 10, 0).tick();
    rig.path(1, 9, 3, 2).topologyChanged();
    rig.traffic(1, 9, 10, 0).traffic(2, 9, 10, 0).tick();
    assertThat(rig.status(1).activeEndpoints()).isEqualTo(1);
    assertThat(rig.status(1).loadBitsPerSecond()).isEqualTo(24_000_000);
    assertThat(rig.status(3).loadBitsPerSecond()).isEqualTo(24_000_000);
    assertThat(rig.status(2).loadBitsPerSecond()).isEqualTo(48_000_000);
    assertThat(rig.sharesTo(1)).as("its part at port 1 is over").hasSize(1);
    assertThat(rig.sharesTo(1).get(0).expired()).isTrue();
    assertThat(rig.sharesTo(2).get(0).unitShareBitsPerSecond()).isEqualTo(50_000_000);
  }

  @Test
  void markedPairIsAskedForBeforeItsMarksAreAttributed() {
    EngineFixture rig = EngineFixture.dumbbell(1).portOf(3, 50).traffic(1, 9, 10, 0).tick();
    rig.path(1, 9, 3).topologyChanged().tick();
    rig.traffic(1, 9, 10, 1).tick();
    assertThat(rig.status(3).congested()).isTrue();
    assertThat(rig.status(1).congested()).isFalse();
  }

  @Test
  void marksOfAPairForgottenMeanwhileBlameNobody() {
    EngineFixture rig = EngineFixture.dumbbell(1).traffic(1, 9, 10, 5);
    rig.engine.removeEndpoint(EngineFixture.endpoint(1));
    rig.tick();
    assertThat(rig.status(1).congested()).isFalse();
    assertThat(rig.figure(Figure.MARKS_ATTRIBUTED)).isZero();
  }

  @Test
  void unknownPathIsCountedAndJournaledOnce() {
    EngineFixture rig = EngineFixture.dumbbell(2).noPath(1, 9).noPath(2, 9);
    for (int i = 0; i < 20; i++) {
      rig.traffic(1, 9, 10, 3).traffic(2, 9, 10, 0).tick();
    }
    assertThat(rig.shares).isEmpty();
    assertThat(rig.figure(Figure.UNKNOWN_PATH_PAIRS)).isEqualTo(2);
    assertThat(rig.figure(Figure.MARKS_UNATTRIBUTED)).isEqualTo(60);
    assertThat(rig.journaled(Kind.REFUSED)).hasSize(1);
    assertThat(rig.journaled(Kind.REFUSED).get(0).endpoint()).contains(EngineFixture.endpoint(1));
    assertThat(rig.journaled(Kind.REFUSED).get(0).evidence())
        .isEqualTo("no path is known from h1/vm0 to 10.0.0.10, the first such pair");
  }

  @Test
  void pathFoundLaterIsUsedAndItsLossJournaledAgain() {
    EngineFixture rig = EngineFixture.dumbbell(1).noPath(1, 9).traffic(1, 9, 10, 3).tick();
    rig.path(1, 9, 1, 2).topologyChanged().tick();
    assertThat(rig.figure(Figure.UNKNOWN_PATH_PAIRS)).isZero();
    rig.traffic(1, 9, 10, 3).tick();
    assertThat(rig.status(1).congested()).isTrue();
    rig.noPath(1, 9).topologyChanged().tick().tick();
    assertThat(rig.figure(Figure.UNKNOWN_PATH_PAIRS)).isEqualTo(1);
    assertThat(rig.status(1).activeEndpoints()).isZero();
    assertThat(rig.journaled(Kind.REFUSED)).hasSize(2);
  }

  @Test
  void pathAppearsEvenIfTheOracleForgotItsEpoch() {
    EngineFixture rig = EngineFixture.dumbbell(1).noPath(1, 9).traffic(1, 9, 10, 0).tick();
    rig.path(1, 9, 1, 2);
    for (int i = 0; i < 600; i++) {
      rig.traffic(1, 9, 10, 0).tick();
    }
    assertThat(rig.figure(Figure.UNKNOWN_PATH_PAIRS)).isZero();
  }

  @Test
  void restlessTopologyReachesEveryPairAndSparesTheOracle() {
    EngineFixture rig = new EngineFixture().portOf(1, 1000).portOf(3, 1000).endpointAt(9);
    int pairs = 5000;
    for (int n = 10; n < 10 + pairs; n++) {
      rig.endpointAt(n).path(n, 9, 1).observe(n, EngineFixture.sent(n, 9, 1));
    }
    rig.tick();
    for (int n = 10; n < 10 + pairs; n++) {
      rig.path(n, 9, 3);
    }
    rig.questions = 0;
    for (int i = 0; i < 3; i++) {
      rig.topologyChanged().tick();
    }
    assertThat(rig.questions).isEqualTo(6000);
    assertThat(rig.status(1).activeEndpoints()).isZero();
    assertThat(rig.status(3).activeEndpoints()).isEqualTo(pairs);
  }
}

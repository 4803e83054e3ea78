// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sluice.api.EndpointId;
import org.sluice.api.JournalEntry.Kind;
import org.sluice.api.Law;
import org.sluice.api.TenantId;
import org.sluice.api.link.EndpointPolicy;
import org.sluice.api.link.Notice;
import org.sluice.engine.law.SdnGccLaw.Split;

/** What hosts are told under the paper's law. */
class NoticeTest {
  private static final EngineParameters PAPER = EngineParameters.DEFAULTS.withLaw(Law.SDN_GCC);

  @Test
  void proportionalSplitFollowsTheRates() {
    EngineFixture rig = EngineFixture.dumbbell(3, PAPER);
    rig.traffic(1, 9, 40, 10).traffic(2, 9, 20, 2).traffic(3, 9, 20, 0).tick();
    assertThat(rig.shares).isEmpty();
    assertThat(rig.noticesTo(1))
        .containsExactly(
            Notice.of(
                EngineFixture.port(1),
                EngineFixture.endpoint(1),
                6,
                5 * EngineFixture.MILLIS,
                10_000 * EngineFixture.MBIT,
                50 * EngineFixture.MBIT,
                Set.of(EngineFixture.ip(9))));
    assertThat(rig.noticesTo(2).get(0).marks()).isEqualTo(3);
    assertThat(rig.noticesTo(3).get(0).marks()).isEqualTo(3);
  }

  @Test
  void proportionalSplitFollowsWhatArrivesNotWhatTheShimRefuses() {
    EngineFixture rig = EngineFixture.dumbbell(2, PAPER);
    rig.observe(1, EngineFixture.sent(1, 9, 60)).observe(9, EngineFixture.received(1, 9, 20, 8));
    rig.traffic(2, 9, 20, 0).tick();
    assertThat(rig.noticesTo(1).get(0).marks()).isEqualTo(4);
    assertThat(rig.noticesTo(2).get(0).marks()).isEqualTo(4);
  }

  @Test
  void equalSplitIsBlindToRates() {
    EngineFixture rig = EngineFixture.dumbbell(3, PAPER.withSplit(Split.EQUAL));
    rig.traffic(1, 9, 40, 10).traffic(2, 9, 20, 2).traffic(3, 9, 20, 0).tick();
    for (int n = 1; n <= 3; n++) {
      assertThat(rig.noticesTo(n)).hasSize(1).allMatch(notice -> notice.marks() == 4);
    }
  }

  @Test
  void sourceWithManyDestinationsGetsOneNoticeAndCountsOnce() {
    EngineFixture rig =
        EngineFixture.dumbbell(2, PAPER.withSplit(Split.EQUAL)).endpointAt(8).path(1, 8, 1, 2);
    rig.traffic(1, 8, 10, 4).traffic(1, 9, 10, 4).traffic(2, 9, 20, 4).tick();
    assertThat(rig.noticesTo(1)).hasSize(1);
    assertThat(rig.noticesTo(1).get(0).marks()).isEqualTo(6);
    assertThat(rig.noticesTo(1).get(0).destinations())
        .containsExactlyInAnyOrder(EngineFixture.ip(8), EngineFixture.ip(9));
  }

  @Test
  void alphaStartsAnewInEveryPeriodAndBetaAtEveryPort() {
    EngineFixture rig = EngineFixture.dumbbell(2, PAPER.withSplit(Split.EQUAL));
    rig.portOf(3, 50).endpointAt(8).endpointAt(5).path(5, 8, 3);
    rig.traffic(1, 9, 20, 8).traffic(2, 9, 20, 0).traffic(5, 8, 20, 6).tick();
    assertThat(rig.noticesTo(1).get(0).marks()).isEqualTo(4);
    assertThat(rig.noticesTo(5).get(0).marks()).isEqualTo(6);
    rig.traffic(1, 9, 20, 2).tick();
    assertThat(rig.noticesTo(1).get(0).marks()).isEqualTo(1);
    assertThat(rig.noticesTo(5)).isEmpty();
  }

  @Test
  void noMarksNoNotices() {
    EngineFixture rig = EngineFixture.dumbbell(2, PAPER);
    rig.traffic(1, 9, 20, 8).tick();
    for (int i = 0; i < 50; i++) {
      rig.traffic(1, 9, 20, 0).tick();
      assertThat(rig.notices).isEmpty();
    }
    assertThat(rig.status(1).congested()).isTrue();
    rig.pass(1000);
    assertThat(rig.status(1).congested()).isFalse();
    assertThat(rig.shares).isEmpty();
  }

  @Test
  void recoveryBoundIsTheShareOfTheNic() {
    EngineFixture rig = EngineFixture.dumbbell(1, PAPER);
    EndpointId sibling = EndpointId.of(EngineFixture.host(1), "vm1");
    rig.engine.putEndpoint(
        EndpointPolicy.of(sibling, TenantId.of("other"), 3, 0, 0, false),
        Set.of(EngineFixture.ip(50)));
    rig.traffic(50, 1, 0, 0).observe(1, EngineFixture.sent(50, 9, 20)).traffic(1, 9, 20, 4).tick();
    assertThat(rig.noticesTo(1).get(0).shareBitsPerSecond()).isEqualTo(2_500 * EngineFixture.MBIT);
  }

  @Test
  void noticesAreJournaledOnceASecond() {
    EngineFixture rig = EngineFixture.dumbbell(2, PAPER);
    for (int i = 0; i < 401; i++) {
      rig.traffic(1, 9, 20, 8).traffic(2, 9, 20, 0).tick();
    }
    assertThat(rig.journaled(Kind.NOTICE)).hasSize(3);
    assertThat(rig.journaled(Kind.NOTICE).get(0).decision())
        .isEqualTo("notices of 8 marks to 2 sources, split proportional");
    assertThat(rig.journaled(Kind.CONTROL_STARTED).get(0).decision())
        .isEqualTo("control starts by notices");
  }

  @Test
  void manySourcesAreAllTold() {
    EngineFixture rig = EngineFixture.dumbbell(0, PAPER.withSplit(Split.EQUAL));
    for (int n = 100; n < 300; n++) {
      rig.endpointAt(n).path(n, 9, 1, 2).traffic(n, 9, 1, 1);
    }
    rig.tick();
    assertThat(rig.notices).hasSize(200).allMatch(told -> told.message.marks() == 1);
  }

  @Test
  void marksOfSourcesThatFellSilentGoToNobody() {
    EngineFixture rig = EngineFixture.dumbbell(1, PAPER).traffic(1, 9, 20, 8).tick();
    rig.traffic(1, 9, 20, 8);
    rig.engine.putEndpoint(EngineFixture.policy(1, 1, 0, 0), Set.of());
    rig.tick();
    assertThat(rig.notices).isEmpty();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sluice.api.EndpointId;
import org.sluice.api.JournalEntry.Kind;
import org.sluice.api.Law;
import org.sluice.api.TenantId;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.Notice;
import org.sluice.engine.law.SdnGccLaw.Split;

/** What hosts are sent under SDN-GCC. */
class NoticeTest {
  private static final EngineParameters SDN_GCC = EngineParameters.DEFAULTS.withLaw(Law.SDN_GCC);

  @Test
  void proportionalSplitFollowsTheRates() {
    EngineFixture fixture = EngineFixture.dumbbell(3, SDN_GCC);
    fixture.traffic(1, 9, 40, 10).traffic(2, 9, 20, 2).traffic(3, 9, 20, 0).tick();
    assertThat(fixture.shares).isEmpty();
    assertThat(fixture.noticesTo(1))
        .containsExactly(
            Notice.of(
                EngineFixture.port(1),
                EngineFixture.endpoint(1),
                6,
                5 * EngineFixture.MILLIS,
                10_000 * EngineFixture.MBIT,
                EngineFixture.capacity(50),
                Set.of(EngineFixture.ip(9))));
    assertThat(fixture.noticesTo(2).get(0).marks()).isEqualTo(3);
    assertThat(fixture.noticesTo(3).get(0).marks()).isEqualTo(3);
  }

  @Test
  void proportionalSplitFollowsArrivalsWithoutShimDrops() {
    EngineFixture fixture = EngineFixture.dumbbell(2, SDN_GCC);
    fixture
        .observe(1, EngineFixture.sent(1, 9, 60))
        .observe(9, EngineFixture.received(1, 9, 20, 8));
    fixture.traffic(2, 9, 20, 0).tick();
    assertThat(fixture.noticesTo(1).get(0).marks()).isEqualTo(4);
    assertThat(fixture.noticesTo(2).get(0).marks()).isEqualTo(4);
  }

  /**
   * A TCP source that has lost its window is silent until its timeout, 200 ms and more. It keeps
   * its part of the marks: without, it would recover up to E meanwhile, and begin again with the
   * whole port.
   */
  @Test
  void proportionalSplitUsesMeanRatesAcrossPauses() {
    EngineFixture fixture = EngineFixture.dumbbell(2, SDN_GCC);
    for (int i = 0; i < 100; i++) {
      fixture.traffic(1, 9, 20, 2).traffic(2, 9, 20, 2).tick();
    }
    for (int i = 0; i < 12; i++) {
      fixture.traffic(2, 9, 20, 8).tick();
      assertThat(fixture.noticesTo(1).get(0).marks())
          .as("after %d periods", i)
          .isCloseTo(4, within(0.1));
    }
    double marks = 4;
    for (int i = 0; i < 20; i++) {
      fixture.traffic(2, 9, 20, 8).tick();
      double fewer = fixture.noticesTo(1).get(0).marks();
      assertThat(fewer).as("after %d periods more", i).isPositive().isLessThanOrEqualTo(marks);
      marks = fewer;
    }
    assertThat(marks).isLessThan(2);
  }

  @Test
  void equalSplitIgnoresRates() {
    EngineFixture fixture = EngineFixture.dumbbell(3, SDN_GCC.withSplit(Split.EQUAL));
    fixture.traffic(1, 9, 40, 10).traffic(2, 9, 20, 2).traffic(3, 9, 20, 0).tick();
    for (int n = 1; n <= 3; n++) {
      assertThat(fixture.noticesTo(n)).hasSize(1).allMatch(notice -> notice.marks() == 4);
    }
  }

  @Test
  void sourceWithManyDestinationsGetsOneNoticeAndCountsOnce() {
    EngineFixture fixture =
        EngineFixture.dumbbell(2, SDN_GCC.withSplit(Split.EQUAL)).endpointAt(8).path(1, 8, 1, 2);
    fixture.traffic(1, 8, 10, 4).traffic(1, 9, 10, 4).traffic(2, 9, 20, 4).tick();
    assertThat(fixture.noticesTo(1)).hasSize(1);
    assertThat(fixture.noticesTo(1).get(0).marks()).isEqualTo(6);
    assertThat(fixture.noticesTo(1).get(0).destinations())
        .containsExactlyInAnyOrder(EngineFixture.ip(8), EngineFixture.ip(9));
  }

  @Test
  void alphaIsResetEveryPeriodAndBetaIsPerPort() {
    EngineFixture fixture = EngineFixture.dumbbell(2, SDN_GCC.withSplit(Split.EQUAL));
    fixture.portOf(3, 50).endpointAt(8).endpointAt(5).path(5, 8, 3);
    fixture.traffic(1, 9, 20, 8).traffic(2, 9, 20, 0).traffic(5, 8, 20, 6).tick();
    assertThat(fixture.noticesTo(1).get(0).marks()).isEqualTo(4);
    assertThat(fixture.noticesTo(5).get(0).marks()).isEqualTo(6);
    fixture.traffic(1, 9, 20, 2).tick();
    assertThat(fixture.noticesTo(1).get(0).marks()).isEqualTo(1);
    assertThat(fixture.noticesTo(5)).isEmpty();
  }

  @Test
  void noMarksNoNotices() {
    EngineFixture fixture = EngineFixture.dumbbell(2, SDN_GCC);
    fixture.traffic(1, 9, 20, 8).tick();
    for (int i = 0; i < 50; i++) {
      fixture.traffic(1, 9, 20, 0).tick();
      assertThat(fixture.notices).isEmpty();
    }
    assertThat(fixture.status(1).congested()).isTrue();
    fixture.pass(1000);
    assertThat(fixture.status(1).congested()).isFalse();
    assertThat(fixture.shares).isEmpty();
  }

  @Test
  void recoveryBoundIsTheShareOfTheNic() {
    EngineFixture fixture = EngineFixture.dumbbell(1, SDN_GCC);
    EndpointId sibling = EndpointId.of(EngineFixture.host(1), "vm1");
    fixture.engine.putEndpoint(
        EndpointProfile.of(sibling, TenantId.of("other"), 3, 0, 0, false),
        Set.of(EngineFixture.ip(50)));
    fixture
        .traffic(50, 1, 0, 0)
        .observe(1, EngineFixture.sent(50, 9, 20))
        .traffic(1, 9, 20, 4)
        .tick();
    assertThat(fixture.noticesTo(1).get(0).shareBitsPerSecond())
        .isEqualTo(2_500 * EngineFixture.MBIT);
  }

  @Test
  void noticesAreJournaledOnceASecond() {
    EngineFixture fixture = EngineFixture.dumbbell(2, SDN_GCC);
    for (int i = 0; i < 401; i++) {
      fixture.traffic(1, 9, 20, 8).traffic(2, 9, 20, 0).tick();
    }
    assertThat(fixture.journaled(Kind.NOTICE)).hasSize(3);
    assertThat(fixture.journaled(Kind.NOTICE).get(0).decision())
        .isEqualTo("notices of 8 marks to 2 sources, split proportional");
    assertThat(fixture.journaled(Kind.CONTROL_STARTED).get(0).decision())
        .isEqualTo("control starts by notices");
  }

  @Test
  void manySourcesAreAllNotified() {
    EngineFixture fixture = EngineFixture.dumbbell(0, SDN_GCC.withSplit(Split.EQUAL));
    for (int n = 100; n < 300; n++) {
      fixture.endpointAt(n).path(n, 9, 1, 2).traffic(n, 9, 1, 1);
    }
    fixture.tick();
    assertThat(fixture.notices).hasSize(200).allMatch(sent -> sent.message.marks() == 1);
  }

  @Test
  void marksOfIdleSourcesAreDiscarded() {
    EngineFixture fixture = EngineFixture.dumbbell(1, SDN_GCC).traffic(1, 9, 20, 8).tick();
    fixture.traffic(1, 9, 20, 8);
    fixture.engine.putEndpoint(EngineFixture.profile(1, 1, 0, 0), Set.of());
    fixture.tick();
    assertThat(fixture.notices).isEmpty();
  }
}

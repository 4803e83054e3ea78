// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.onos.testing.Waiting.until;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.api.JournalEntry;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.link.Resend;
import org.sluice.api.link.WindowGrant;
import org.sluice.onos.setting.Parameters;

/** What is rehearsed, and that nobody hears of it. */
@Timeout(120)
class RehearsedDeadlinesTest {

  @Test
  void everySceneGoesFromRegistrationToTheEnd() throws Exception {
    RehearsedLink told = new RehearsedLink();
    playToTheEnd(told.with(Parameters.defaults()));
    List<Object> said =
        told.link.sent.stream()
            .flatMap(message -> ((List<?>) message.body).stream())
            .collect(Collectors.toList());
    assertThat(said.stream().filter(Resend.class::isInstance).count())
        .isGreaterThanOrEqualTo(RehearsedDeadlines.SCENES);
    // Windows that divide a congested port, and others that are taken back.
    assertThat(said.stream().filter(RehearsedDeadlinesTest::isWindow))
        .hasSizeGreaterThan(10 * RehearsedDeadlines.SCENES);
    assertThat(said.stream().filter(RehearsedDeadlinesTest::isRelease))
        .hasSizeGreaterThan(RehearsedDeadlines.SCENES);
  }

  private static boolean isWindow(Object said) {
    return said instanceof WindowGrant && !((WindowGrant) said).isReleased();
  }

  private static boolean isRelease(Object said) {
    return said instanceof WindowGrant && ((WindowGrant) said).isReleased();
  }

  @ParameterizedTest
  @CsvSource({
    "windows, paper",
    "expired, drop",
    "flows, switch",
    "deadlines, within-share",
    "lossAnswers, off",
    "controlPeriodMillis, 1",
    "controlPeriodMillis, 50"
  })
  void playsByTheParameters(String property, String value) throws Exception {
    try (DeadlineWorld world = new DeadlineWorld()) {
      world.node.set(property, value);
      playToTheEnd(RehearsedLink.play(world.node.manager.parameters()));
    }
  }

  private static void playToTheEnd(RehearsedDeadlines play) throws SluiceException {
    int steps = 1;
    while (play.step()) {
      steps++;
    }
    assertThat(steps).isEqualTo(RehearsedDeadlines.SCENES * RehearsedDeadlines.STEPS);
    assertThat(play.ends())
        .containsOnly(
            Map.entry(FlowState.MET, 2L * RehearsedDeadlines.SCENES),
            Map.entry(FlowState.MISSED, 1L * RehearsedDeadlines.SCENES));
  }

  @Test
  void nobodyHearsOfIt() throws Exception {
    try (DeadlineWorld world = new DeadlineWorld()) {
      until(() -> assertThat(world.flows.isRehearsing()).isFalse());
      assertThat(world.flows.flows()).isEmpty();
      assertThat(world.flows.deadlines().counts()).isEmpty();
      assertThat(world.flows.isWanted()).isFalse();
      assertThat(world.storedFlows()).isEmpty();
      assertThat(world.node.journal.entries(-1, Optional.empty(), 1000))
          .extracting(JournalEntry::kind)
          .doesNotContain(
              JournalEntry.Kind.DEADLINE,
              JournalEntry.Kind.DEADLINE_MISSED,
              JournalEntry.Kind.PROMISE_LOST);
      assertThat(world.grants(DeadlineWorld.H1)).isEmpty();
      assertThat(world.node.link.sent)
          .extracting(message -> message.host)
          .doesNotContain(RehearsedNetwork.HOST);
    }
  }

  @Test
  void endsWithTheApplication() {
    DeadlineWorld world = new DeadlineWorld();
    world.close();
    assertThat(world.flows.isRehearsing()).isFalse();
  }
}

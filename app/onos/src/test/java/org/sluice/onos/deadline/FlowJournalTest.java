// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.onos.deadline.DeadlineWorld.MILLI;
import static org.sluice.onos.deadline.DeadlineWorld.flow;
import static org.sluice.onos.testing.Waiting.until;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.sluice.api.EndpointId;
import org.sluice.api.JournalEntry;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.deadline.FlowWish;
import org.sluice.api.link.FlowNews;

/** What the journal tells of deadlines; of lost promises {@link FlowWaysTest} does. */
@Timeout(120)
class FlowJournalTest {
  private final DeadlineWorld world = new DeadlineWorld();

  @AfterEach
  void close() {
    world.close();
  }

  /** The oldest first. */
  private List<JournalEntry> entries(JournalEntry.Kind kind) {
    List<JournalEntry> found =
        world.node.journal.entries(-1, Optional.empty(), 1000).stream()
            .filter(entry -> entry.kind() == kind)
            .collect(Collectors.toList());
    Collections.reverse(found);
    return found;
  }

  @Test
  void whatWasDecidedIsToldWithTheFlowAndTheReason() throws Exception {
    FlowStatus promised = world.register(flow(1), 400_000, 2_000).flow().orElseThrow();
    world.register(flow(2), 4_000_000, 300);
    FlowWish wish = FlowWish.of(flow(3), 4_000_000, 300 * MILLI, true);
    FlowStatus forced = world.flows.register(wish).flow().orElseThrow();
    List<JournalEntry> told = entries(JournalEntry.Kind.DEADLINE);
    assertThat(told).hasSize(3);
    assertThat(told)
        .extracting(JournalEntry::endpoint)
        .containsOnly(Optional.of(EndpointId.of(DeadlineWorld.H1, "vm0")));
    assertThat(told.get(0).decision())
        .startsWith("flow " + promised.id() + ", 10.0.0.1:1 -> 10.0.0.5:5001 of 400000 bytes, due")
        .endsWith(" ms: promised");
    assertThat(told.get(1).decision())
        .isEqualTo("flow 10.0.0.1:2 -> 10.0.0.5:5001 of 4000000 bytes, due in 300 ms: refused");
    assertThat(told.get(1).evidence()).startsWith("beside all that is promised it could be");
    assertThat(told.get(2).decision())
        .startsWith("flow " + forced.id() + ", ")
        .endsWith(" ms: registered by force");
    assertThat(told.get(2).evidence()).startsWith("beside all that is promised it could be");
  }

  @Test
  void whatIsMissedIsToldWithWhatBecomesOfIt() throws Exception {
    FlowStatus first = world.register(flow(40_000), 400_000, 500).flow().orElseThrow();
    world.tell(flow(40_000), FlowNews.State.OPENED, 0);
    world.tell(flow(40_000), FlowNews.State.ESTABLISHED, 150_000);
    world.awaitState(first.id(), FlowState.MISSED);
    until(() -> assertThat(entries(JournalEntry.Kind.DEADLINE_MISSED)).hasSize(1));
    JournalEntry told = entries(JournalEntry.Kind.DEADLINE_MISSED).get(0);
    assertThat(told.decision())
        .endsWith(": missed although promised; it goes on behind all promises");
    assertThat(told.evidence()).startsWith("250000 bytes were left");

    world.node.set("expired", "drop");
    FlowWish wish = FlowWish.of(flow(40_001), 4_000_000, 100 * MILLI, true);
    FlowStatus second = world.flows.register(wish).flow().orElseThrow();
    world.tell(flow(40_001), FlowNews.State.OPENED, 0);
    world.awaitState(second.id(), FlowState.MISSED);
    until(() -> assertThat(entries(JournalEntry.Kind.DEADLINE_MISSED)).hasSize(2));
    assertThat(entries(JournalEntry.Kind.DEADLINE_MISSED).get(1).decision())
        .endsWith(": missed, which nobody had promised; it is stopped");
  }

  @Test
  void whatIsMetOrNeverSentIsNotWorthAnEntry() throws Exception {
    FlowStatus met = world.register(flow(40_000), 10_000, 5_000).flow().orElseThrow();
    world.tell(flow(40_000), FlowNews.State.CLOSED, 10_000);
    world.awaitState(met.id(), FlowState.MET);
    FlowStatus silent = world.register(flow(40_001), 1_000, 150).flow().orElseThrow();
    world.awaitState(silent.id(), FlowState.NEVER_SENT);
    assertThat(entries(JournalEntry.Kind.DEADLINE)).hasSize(2);
    assertThat(entries(JournalEntry.Kind.DEADLINE_MISSED)).isEmpty();
  }

  @Test
  void manyAtOnceAreSummedUp() throws Exception {
    List<CompletableFuture<FlowDecision>> asked = new ArrayList<>();
    for (int i = 1; i <= 1000; i++) {
      asked.add(world.flows.registerLater(FlowWish.of(flow(i), 1_000, 300_000 * MILLI, false)));
    }
    for (CompletableFuture<FlowDecision> each : asked) {
      assertThat(each.get(60, TimeUnit.SECONDS).flow()).isPresent();
    }
    until(
        () ->
            assertThat(entries(JournalEntry.Kind.DEADLINE))
                .extracting(this::counted)
                .satisfies(
                    counts -> assertThat(counts.stream().mapToInt(c -> c).sum()).isEqualTo(1000)));
    assertThat(entries(JournalEntry.Kind.DEADLINE).size())
        .isLessThan(5 * (FlowChronicle.SINGLE_PER_SECOND + 1));
  }

  private int counted(JournalEntry entry) {
    String words = "more deadlines: ";
    return entry.decision().startsWith(words)
        ? Integer.parseInt(entry.decision().substring(words.length()).replace(" promised", ""))
        : 1;
  }
}

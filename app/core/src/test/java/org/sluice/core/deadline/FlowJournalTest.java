// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.deadline.DeadlineNetwork.flow;
import static org.sluice.core.deadline.DeadlineNetwork.forced;
import static org.sluice.core.deadline.DeadlineNetwork.request;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.sluice.api.EndpointId;
import org.sluice.api.JournalEntry;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.FlowUpdate;

/** What the journal records of deadlines; of lost promises {@link FlowPathsTest} has it. */
class FlowJournalTest {
  private final DeadlineNetwork deadlines = new DeadlineNetwork();

  private List<JournalEntry> entries(JournalEntry.Kind kind) {
    return deadlines.journal(kind);
  }

  @Test
  void decisionIsRecordedWithFlowAndReason() throws Exception {
    FlowStatus promised = deadlines.register(flow(1), 400_000, 2_000).flow().orElseThrow();
    deadlines.register(flow(2), 4_000_000, 300);
    FlowStatus forced =
        deadlines.flows.register(forced(flow(3), 4_000_000, 300)).flow().orElseThrow();
    List<JournalEntry> recorded = entries(JournalEntry.Kind.DEADLINE);
    assertThat(recorded).hasSize(3);
    assertThat(recorded)
        .extracting(JournalEntry::endpoint)
        .containsOnly(Optional.of(EndpointId.of(DeadlineNetwork.H1, "vm0")));
    assertThat(recorded)
        .extracting(JournalEntry::tenant)
        .containsOnly(Optional.of(DeadlineNetwork.RED));
    assertThat(recorded.get(0).decision())
        .startsWith("flow " + promised.id() + ", 10.0.0.1:1 -> 10.0.0.5:5001 of 400000 bytes, due")
        .endsWith(" ms: promised");
    assertThat(recorded.get(1).decision())
        .isEqualTo("flow 10.0.0.1:2 -> 10.0.0.5:5001 of 4000000 bytes, due in 300 ms: refused");
    assertThat(recorded.get(1).evidence()).startsWith("beside all that is promised it could be");
    assertThat(recorded.get(2).decision())
        .startsWith("flow " + forced.id() + ", ")
        .endsWith(" ms: registered by force");
    assertThat(recorded.get(2).evidence()).startsWith("beside all that is promised it could be");
  }

  @Test
  void requesterOfAChangeIsRecorded() throws Exception {
    FlowAdminService olga = deadlines.flows.by("olga");
    long id = olga.register(forced(flow(1), 400_000, 2_000)).flow().orElseThrow().id();
    olga.change(id, OptionalLong.of(300_000), OptionalLong.empty(), false);
    olga.register(DeadlineRequest.of(flow(2), 4_000_000, 300_000_000L, false));
    deadlines.flows.by("otto").remove(id);
    List<JournalEntry> recorded = entries(JournalEntry.Kind.DEADLINE);
    assertThat(recorded)
        .extracting(JournalEntry::evidence)
        .satisfiesExactly(
            evidence -> assertThat(evidence).startsWith("requested by olga; it fits beside"),
            evidence -> assertThat(evidence).startsWith("requested by olga; it fits beside"),
            evidence -> assertThat(evidence).startsWith("requested by olga; beside all that is"),
            evidence -> assertThat(evidence).isEqualTo("requested by otto"));
    assertThat(recorded.get(1).decision()).endsWith(" ms: changed, promised");
    assertThat(recorded.get(3).decision()).endsWith(": taken back with 300000 bytes left");
  }

  @Test
  void missedDeadlineIsRecordedWithItsConsequence() throws Exception {
    FlowStatus first = deadlines.register(flow(40_000), 400_000, 500).flow().orElseThrow();
    deadlines.report(flow(40_000), FlowUpdate.State.OPENED, 0);
    deadlines.report(flow(40_000), FlowUpdate.State.ESTABLISHED, 150_000);
    deadlines.awaitState(first.id(), FlowState.MISSED);
    assertThat(entries(JournalEntry.Kind.DEADLINE_MISSED)).hasSize(1);
    JournalEntry recorded = entries(JournalEntry.Kind.DEADLINE_MISSED).get(0);
    assertThat(recorded.decision())
        .endsWith(": missed although promised; it goes on after all promises");
    assertThat(recorded.evidence()).startsWith("250000 bytes were left");

    deadlines.node.set("expired", "drop");
    FlowStatus second =
        deadlines.flows.register(forced(flow(40_001), 4_000_000, 100)).flow().orElseThrow();
    deadlines.report(flow(40_001), FlowUpdate.State.OPENED, 0);
    deadlines.awaitState(second.id(), FlowState.MISSED);
    assertThat(entries(JournalEntry.Kind.DEADLINE_MISSED)).hasSize(2);
    assertThat(entries(JournalEntry.Kind.DEADLINE_MISSED).get(1).decision())
        .endsWith(": missed, not promised; it is stopped");
  }

  @Test
  void metAndUnsentFlowsAreNotRecorded() throws Exception {
    FlowStatus met = deadlines.register(flow(40_000), 10_000, 5_000).flow().orElseThrow();
    deadlines.report(flow(40_000), FlowUpdate.State.CLOSED, 10_000);
    deadlines.awaitState(met.id(), FlowState.MET);
    FlowStatus silent = deadlines.register(flow(40_001), 1_000, 150).flow().orElseThrow();
    deadlines.awaitState(silent.id(), FlowState.NEVER_SENT);
    assertThat(entries(JournalEntry.Kind.DEADLINE)).hasSize(2);
    assertThat(entries(JournalEntry.Kind.DEADLINE_MISSED)).isEmpty();
  }

  /** All within the same second. */
  @Test
  void manyEntriesAtOnceAreSummarized() {
    List<DeadlineRequest> requests = new ArrayList<>();
    for (int i = 1; i <= 1000; i++) {
      requests.add(request(flow(i), 1_000, 300_000));
    }
    assertThat(deadlines.registerAll(requests)).allMatch(made -> made.flow().isPresent());
    assertThat(entries(JournalEntry.Kind.DEADLINE)).hasSize(FlowJournal.SINGLE_PER_SECOND);

    deadlines.time.advanceMillis(1_000);
    List<JournalEntry> recorded = entries(JournalEntry.Kind.DEADLINE);
    assertThat(recorded).hasSize(FlowJournal.SINGLE_PER_SECOND + 1);
    JournalEntry sum = recorded.get(FlowJournal.SINGLE_PER_SECOND);
    assertThat(sum.tenant()).as("a sum covers all").isEmpty();
    assertThat(recorded.stream().map(this::counted).collect(Collectors.summingInt(c -> c)))
        .isEqualTo(1000);
  }

  private int counted(JournalEntry entry) {
    String summary = "more deadlines: ";
    return entry.decision().startsWith(summary)
        ? Integer.parseInt(entry.decision().substring(summary.length()).replace(" promised", ""))
        : 1;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.sluice.api.EndpointId;
import org.sluice.api.JournalEntry;
import org.sluice.api.MegabitRate;
import org.sluice.api.MilliTime;
import org.sluice.api.PortId;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.Admission;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.journal.JournalWriter;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.runtime.Clock;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingTable;
import org.sluice.engine.deadline.FlowRecord;
import org.sluice.engine.law.DeadlineParameters.Expired;

/**
 * Writes into the journal which deadlines were promised, refused, missed and lost. Of many at once
 * only some have entries of their own, the others are counted: the journal is for people, and for
 * other things too. Thread-safe.
 */
final class FlowJournal {
  /** Entries of their own in a second. */
  static final int SINGLE_PER_SECOND = 20;

  private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final JournalWriter journal;
  private final ReportedEndpoints endpoints;
  private final Supplier<Parameters> parameters;
  private final Clock clock;
  private final Map<Event, Long> further = new EnumMap<>(Event.class);
  private long secondNanos;
  private int single;

  /** What the journal records. */
  private enum Event {
    PROMISED(JournalEntry.Kind.DEADLINE),
    FORCED(JournalEntry.Kind.DEADLINE),
    REFUSED(JournalEntry.Kind.DEADLINE),
    MISSED(JournalEntry.Kind.DEADLINE_MISSED),
    REMOVED(JournalEntry.Kind.DEADLINE),
    LOST(JournalEntry.Kind.PROMISE_LOST);

    final JournalEntry.Kind kind;

    Event(JournalEntry.Kind kind) {
      this.kind = kind;
    }

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  FlowJournal(
      JournalWriter journal,
      ReportedEndpoints endpoints,
      Supplier<Parameters> parameters,
      Clock clock) {
    this.journal = journal;
    this.endpoints = endpoints;
    this.parameters = parameters;
    this.clock = clock;
    this.secondNanos = clock.nanoTime();
  }

  /** A registration was made or changed. */
  void registered(FlowStatus flow, Admission admission, boolean isNew, String author) {
    String words =
        ", due in " + MilliTime.text(flow.dueInNanos()) + ": " + (isNew ? "" : "changed, ");
    if (flow.promised()) {
      String evidence = "it fits beside all that is promised on its path";
      write(Event.PROMISED, flow, words + "promised", requestedBy(author) + evidence);
    } else {
      String evidence = requestedBy(author) + evidence(admission);
      write(Event.FORCED, flow, words + "registered by force", evidence);
    }
  }

  /** A registration, or its change, was refused. */
  void refused(StoredFlow flow, long dueInNanos, Admission admission, String author) {
    String words =
        "flow "
            + flow.key()
            + " of "
            + flow.sizeBytes()
            + " bytes, due in "
            + MilliTime.text(dueInNanos)
            + ": refused";
    write(
        Event.REFUSED, flow.key(), flow.tenant(), words, requestedBy(author) + evidence(admission));
  }

  /** A registration was taken back. */
  void removed(FlowStatus flow, String author) {
    write(
        Event.REMOVED,
        flow,
        ": taken back with " + flow.remainingBytes() + " bytes left",
        author.isEmpty() ? "requested" : "requested by " + author);
  }

  private static String requestedBy(String author) {
    return author.isEmpty() ? "" : "requested by " + author + "; ";
  }

  private static String evidence(Admission admission) {
    return admission.earliestNanos().isPresent()
        ? "beside all that is promised it could be through in "
            + MilliTime.text(admission.earliestNanos().getAsLong())
        : "at a port on its path nothing is left to promise";
  }

  /** A registration has ended. */
  void ended(FlowStatus flow, FlowRecord record) {
    if (flow.state() != FlowState.MISSED) {
      return;
    }
    boolean goesOn =
        flow.remainingBytes() == 0 || parameters.get().get(SettingTable.EXPIRED) == Expired.DEMOTE;
    String words =
        ": "
            + (flow.promised() ? "missed although promised" : "missed, not promised")
            + (goesOn ? "; it goes on after all promises" : "; it is stopped");
    write(
        Event.MISSED,
        flow,
        words,
        flow.remainingBytes() + " bytes were left when it was evaluated" + begin(record));
  }

  /** When its connection began, and what it would have needed from then on. */
  private static String begin(FlowRecord record) {
    OptionalLong opened = record.openedNanos();
    if (opened.isEmpty()) {
      return "";
    }
    long nanos = record.deadlineNanos() - opened.getAsLong();
    return nanos <= 0
        ? "; its connection began after the deadline"
        : "; its connection began "
            + MilliTime.text(nanos)
            + " before the deadline, and needed "
            + MegabitRate.measured(record.sizeBytes() * 8e9 / nanos)
            + " of payload from then on";
  }

  /** Whether an entry is about a registration. */
  static boolean isAbout(JournalEntry entry, long id) {
    return entry.decision().startsWith(name(id));
  }

  private static String name(long id) {
    return "flow " + id + ", ";
  }

  /**
   * A promise cannot be kept any longer.
   *
   * @param path its path now, if one is known
   */
  void lost(FlowStatus flow, Optional<List<PortId>> path) {
    String words =
        ", due in " + MilliTime.text(flow.dueInNanos()) + ": its promise can no longer be kept";
    String now =
        path.map(ports -> ports.stream().map(journal::label).collect(Collectors.joining(", ")))
            .orElse("unknown");
    write(Event.LOST, flow, words, "paths or capacities have changed; its path is now " + now);
  }

  /** A promise was not used. */
  void unused(FlowStatus flow) {
    write(
        Event.LOST,
        flow,
        ", due in " + MilliTime.text(flow.dueInNanos()) + ": is not promised any longer",
        "nothing of it has arrived for "
            + TimeUnit.NANOSECONDS.toSeconds(DeadlineLoop.UNUSED_NANOS)
            + " s since it was to begin; register it anew when its connection begins");
  }

  private void write(Event event, FlowStatus flow, String words, String evidence) {
    String name = name(flow.id()) + flow.flow() + " of " + flow.sizeBytes() + " bytes";
    write(event, flow.flow(), flow.tenant(), name + words, evidence);
  }

  private synchronized void write(
      Event event, FlowKey key, TenantId tenant, String decision, String evidence) {
    tick(clock.nanoTime());
    if (single >= SINGLE_PER_SECOND) {
      further.merge(event, 1L, Long::sum);
      return;
    }
    single++;
    Optional<EndpointId> source = endpoints.holder(key.source()).map(ReportedEndpoint::id);
    journal.write(event.kind, Optional.of(tenant), source, decision, evidence);
  }

  /** Time has passed: what has no entry of its own is summed up once a second. */
  synchronized void tick(long nowNanos) {
    if (nowNanos - secondNanos < SECOND_NANOS) {
      return;
    }
    secondNanos = nowNanos;
    single = 0;
    if (!further.isEmpty()) {
      StringJoiner counts = new StringJoiner(", ");
      further.forEach((event, count) -> counts.add(count + " " + event.text()));
      journal.write(
          gravest(),
          "more deadlines: " + counts,
          "more than " + SINGLE_PER_SECOND + " in a second");
      further.clear();
    }
  }

  /** The kind of the last of those that are summed up: they stand in the order of their weight. */
  private JournalEntry.Kind gravest() {
    return further.keySet().stream().reduce((a, b) -> b).orElseThrow().kind;
  }
}

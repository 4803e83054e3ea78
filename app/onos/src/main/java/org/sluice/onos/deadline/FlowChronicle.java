// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.sluice.api.JournalEntry;
import org.sluice.api.MilliTime;
import org.sluice.api.PortId;
import org.sluice.api.deadline.Admission;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.onos.journal.Chronicle;
import org.sluice.onos.registry.ReportedEndpoints;
import org.sluice.onos.setting.Parameters;

/**
 * Writes into the journal how deadlines fare. Of many at once only some have entries of their own,
 * the others are counted: the journal is for people, and for other things too. Thread-safe.
 */
final class FlowChronicle {
  /** Entries of their own in a second. */
  static final int SINGLE_PER_SECOND = 20;

  private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Chronicle chronicle;
  private final ReportedEndpoints endpoints;
  private final Supplier<Parameters> parameters;
  private final Map<Event, Long> further = new EnumMap<>(Event.class);
  private long secondNanos = System.nanoTime();
  private int single;

  /** What the journal tells of. */
  private enum Event {
    PROMISED(JournalEntry.Kind.DEADLINE),
    FORCED(JournalEntry.Kind.DEADLINE),
    REFUSED(JournalEntry.Kind.DEADLINE),
    MISSED(JournalEntry.Kind.DEADLINE_MISSED),
    LOST(JournalEntry.Kind.PROMISE_LOST);

    final JournalEntry.Kind kind;

    Event(JournalEntry.Kind kind) {
      this.kind = kind;
    }

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  FlowChronicle(Chronicle chronicle, ReportedEndpoints endpoints, Supplier<Parameters> parameters) {
    this.chronicle = chronicle;
    this.endpoints = endpoints;
    this.parameters = parameters;
  }

  /** A registration was made or changed. */
  void registered(FlowStatus flow, Admission admission) {
    String words = ", due in " + MilliTime.fromNanos(flow.dueInNanos()) + " ms: ";
    if (flow.promised()) {
      String evidence = "it fits beside all that is promised on its way";
      write(Event.PROMISED, flow, words + "promised", evidence);
    } else {
      write(Event.FORCED, flow, words + "registered by force", evidence(admission));
    }
  }

  /** A registration, or its change, was refused. */
  void refused(StoredFlow flow, long dueInNanos, Admission admission) {
    String words =
        "flow "
            + flow.key()
            + " of "
            + flow.sizeBytes()
            + " bytes, due in "
            + MilliTime.fromNanos(dueInNanos)
            + " ms: refused";
    write(Event.REFUSED, holder(flow.key()), words, evidence(admission));
  }

  private static String evidence(Admission admission) {
    return admission.earliestNanos().isPresent()
        ? "beside all that is promised it could be through in "
            + MilliTime.fromNanos(admission.earliestNanos().getAsLong())
            + " ms"
        : "at a port on its way nothing is left to promise";
  }

  /** A registration has ended. */
  void ended(FlowStatus flow) {
    if (flow.state() != FlowState.MISSED) {
      return;
    }
    boolean goesOn =
        flow.remainingBytes() == 0 || parameters.get().expired() == Parameters.Expired.DEMOTE;
    String words =
        ": "
            + (flow.promised() ? "missed although promised" : "missed, which nobody had promised")
            + (goesOn ? "; it goes on behind all promises" : "; it is stopped");
    write(
        Event.MISSED,
        flow,
        words,
        flow.remainingBytes() + " bytes were left when it was looked at");
  }

  /**
   * A promise cannot be kept any longer.
   *
   * @param path its way now, if one is known
   */
  void lost(FlowStatus flow, Optional<List<PortId>> path) {
    String words =
        ", due in "
            + MilliTime.fromNanos(flow.dueInNanos())
            + " ms: its promise can no longer be kept";
    String way =
        path.map(ports -> ports.stream().map(PortId::toString).collect(Collectors.joining(", ")))
            .orElse("not known");
    write(Event.LOST, flow, words, "ways or capacities have changed; its way is now " + way);
  }

  private void write(Event event, FlowStatus flow, String words, String evidence) {
    String name = "flow " + flow.id() + ", " + flow.flow() + " of " + flow.sizeBytes() + " bytes";
    write(event, holder(flow.flow()), name + words, evidence);
  }

  private Optional<ReportedEndpoint> holder(FlowKey key) {
    return endpoints.holder(key.source());
  }

  private synchronized void write(
      Event event, Optional<ReportedEndpoint> source, String decision, String evidence) {
    tick(System.nanoTime());
    if (single >= SINGLE_PER_SECOND) {
      further.merge(event, 1L, Long::sum);
      return;
    }
    single++;
    if (source.isPresent()) {
      chronicle.write(event.kind, source.get().id(), decision, evidence);
    } else {
      chronicle.write(event.kind, decision, evidence);
    }
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
      chronicle.write(
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

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.sluice.api.EndpointId;
import org.sluice.api.JournalEntry;
import org.sluice.api.MegabitRate;
import org.sluice.api.PortId;
import org.sluice.api.queue.ActiveCap;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.runtime.Clock;

/**
 * Writes caps into the journal: where they begin, where they change much, at most once a second,
 * and where for a second there was none.
 */
final class CapJournal {
  static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final double MUCH = 0.2;

  private final NodeJournal journal;
  private final Clock clock;
  private String law = "";

  CapJournal(NodeJournal journal, Clock clock) {
    this.journal = journal;
    this.clock = clock;
  }

  /** By which law is capped from now on. */
  void setLaw(String value) {
    law = value;
  }

  void begun(CapState cap, long nowNanos) {
    cap.begun(nowNanos);
    write(
        cap.downstream,
        String.format(
            Locale.ROOT,
            "Background flows by %s are capped to %s, by %s",
            journal.label(cap.upstream),
            MegabitRate.measured(cap.bitsPerSecond()),
            enforcer(cap)),
        evidence(cap, nowNanos));
  }

  /** A cap goes on; it may be another. */
  void renewed(CapState cap, long nowNanos) {
    if (cap.changeSinceJournaled() > MUCH && nowNanos - cap.journaledNanos() >= PAUSE_NANOS) {
      cap.journaled(nowNanos);
      write(
          cap.downstream,
          String.format(
              Locale.ROOT,
              "Background flows by %s are capped to %s now",
              journal.label(cap.upstream),
              MegabitRate.measured(cap.bitsPerSecond())),
          evidence(cap, nowNanos));
    }
  }

  void ended(CapState cap) {
    write(
        cap.downstream,
        "Background flows by " + journal.label(cap.upstream) + " are not capped any longer",
        String.format(
            Locale.ROOT,
            "capped %d times in %d ms, to %s at least",
            cap.renewals(),
            cap.lastedMillis(),
            MegabitRate.measured(cap.leastBitsPerSecond())));
  }

  private static String enforcer(CapState cap) {
    switch (cap.enforcer()) {
      case PORT_AGENT:
        return "the port's agent";
      case METER:
        return "a meter of its switch";
      default:
        return "nothing: it has no agent with levels, and its switch takes no meter";
    }
  }

  private static String evidence(CapState cap, long nowNanos) {
    ActiveCap now = cap.describe(nowNanos);
    return String.format(
        Locale.ROOT,
        "micro queue %d packets, threshold %d; alpha %.2f, beta %.2f; %d background flows;"
            + " guarantees of their endpoints %s",
        now.queuePackets(),
        now.thresholdPackets(),
        now.alpha(),
        now.beta(),
        now.flows(),
        MegabitRate.measured(now.floorBitsPerSecond()));
  }

  private void write(PortId port, String decision, String evidence) {
    journal
        .journal()
        .append(
            clock.instant(),
            JournalEntry.Kind.CAP,
            law,
            Optional.of(port),
            Optional.<EndpointId>empty(),
            decision,
            evidence);
  }
}

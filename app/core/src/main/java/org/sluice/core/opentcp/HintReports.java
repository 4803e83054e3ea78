// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.sluice.api.HostId;
import org.sluice.api.JournalEntry;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.TcpHintReport;
import org.sluice.api.link.UplinkHandler;
import org.sluice.core.journal.JournalWriter;
import org.sluice.core.runtime.Clock;

/** What hosts report about their hints, the latest of each session. Thread-safe. */
final class HintReports implements UplinkHandler {
  /** A host that reports something else all the time does not fill the journal. */
  static final long JOURNAL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final JournalWriter journal;
  private final Clock clock;
  private final Map<HostId, TcpHintReport> latest = new ConcurrentHashMap<>();

  /** Hosts whose agents take no hints, each with what it says about that. */
  private final Map<HostId, String> declined = new ConcurrentHashMap<>();

  /** By host: what it refused when that was written last. */
  private final Map<HostId, Written> written = new ConcurrentHashMap<>();

  private static final class Written {
    private final List<String> refused;
    private final long atNanos;

    Written(List<String> refused, long atNanos) {
      this.refused = refused;
      this.atNanos = atNanos;
    }
  }

  HintReports(JournalWriter journal, Clock clock) {
    this.journal = journal;
    this.clock = clock;
  }

  @Override
  public void sessionOpened(HostHello hello) {
    latest.remove(hello.host());
    declined.remove(hello.host());
    hello.missingFeatures().stream()
        .filter(missing -> missing.startsWith(HostHello.HINTS_FEATURE))
        .forEach(missing -> declined.put(hello.host(), missing));
  }

  @Override
  public void sessionClosed(HostId host) {
    latest.remove(host);
    declined.remove(host);
  }

  @Override
  public void tcpHintsReported(TcpHintReport report) {
    latest.put(report.host(), report);
    if (report.refused().isEmpty()) {
      written.computeIfPresent(
          report.host(), (host, before) -> new Written(List.of(), before.atNanos));
    } else {
      write(report);
    }
  }

  private void write(TcpHintReport report) {
    long now = clock.nanoTime();
    Written before = written.get(report.host());
    if (before == null
        || !before.refused.equals(report.refused()) && now - before.atNanos >= JOURNAL_NANOS) {
      written.put(report.host(), new Written(report.refused(), now));
      journal.write(
          JournalEntry.Kind.REFUSED,
          "Host " + report.host() + " cannot apply hints",
          String.join("; ", report.refused()));
    }
  }

  /** What a host whose agent takes no hints says about that. */
  Optional<String> declined(HostId host) {
    return Optional.ofNullable(declined.get(host));
  }

  /** What a host reported last about the set of hints of that revision. */
  Optional<TcpHintReport> find(HostId host, long revision) {
    return Optional.ofNullable(latest.get(host)).filter(report -> report.revision() == revision);
  }
}

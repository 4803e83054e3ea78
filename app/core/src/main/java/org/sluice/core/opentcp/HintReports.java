// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.sluice.api.HostId;
import org.sluice.api.JournalEntry;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.TcpHintReport;
import org.sluice.api.link.UplinkHandler;
import org.sluice.core.journal.JournalWriter;

/** What hosts report about their hints, the latest of each session. Thread-safe. */
final class HintReports implements UplinkHandler {
  private final JournalWriter journal;
  private final Map<HostId, TcpHintReport> latest = new ConcurrentHashMap<>();

  /** Hosts whose agents take no hints, each with what it says about that. */
  private final Map<HostId, String> declined = new ConcurrentHashMap<>();

  /** By host: what it refused when that was written last. */
  private final Map<HostId, List<String>> written = new ConcurrentHashMap<>();

  HintReports(JournalWriter journal) {
    this.journal = journal;
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
    written.remove(host);
  }

  @Override
  public void tcpHintsReported(TcpHintReport report) {
    latest.put(report.host(), report);
    List<String> refused = report.refused();
    List<String> before =
        refused.isEmpty() ? written.remove(report.host()) : written.put(report.host(), refused);
    if (!refused.isEmpty() && !refused.equals(before)) {
      journal.write(
          JournalEntry.Kind.REFUSED,
          "Host " + report.host() + " cannot bring hints into force",
          String.join("; ", refused));
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

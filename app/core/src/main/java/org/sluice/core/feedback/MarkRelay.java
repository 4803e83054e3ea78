// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.feedback;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.sluice.api.HostId;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.MarkReport;
import org.sluice.api.link.PairMarks;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.link.UplinkHandler;
import org.sluice.core.link.HostMessages;
import org.sluice.core.registry.ReportedEndpoints;

/**
 * Passes marks on from the hosts where they arrived to those that had sent, at once and on the
 * link's own threads: it decides nothing, and keeps nothing. Marks for a host that is not connected
 * here go back to who reported them. Every node does, so that no leader has to be there; a host
 * counts each mark once.
 */
public final class MarkRelay implements UplinkHandler {
  /** They carry an order of their own. */
  private static final long NO_TERM = 0;

  private final AgentLink link;
  private final ReportedEndpoints endpoints;
  private final Set<HostId> connected = ConcurrentHashMap.newKeySet();

  public MarkRelay(AgentLink link, ReportedEndpoints endpoints) {
    this.link = link;
    this.endpoints = endpoints;
  }

  public void start() {
    link.addListener(this);
  }

  public void stop() {
    link.removeListener(this);
  }

  @Override
  public void sessionOpened(HostHello hello) {
    connected.add(hello.host());
  }

  @Override
  public void sessionClosed(HostId host) {
    connected.remove(host);
  }

  @Override
  public void marksReported(MarkReport report) {
    HostMessages<PairMarks> returned = new HostMessages<>();
    List<PairMarks> undelivered = new ArrayList<>();
    for (PairMarks marks : report.pairs()) {
      HostId host =
          endpoints
              .holder(marks.source())
              .map(ReportedEndpoint::id)
              .map(id -> id.host())
              .filter(connected::contains)
              .orElse(null);
      if (host == null) {
        undelivered.add(marks);
      } else {
        returned.add(host, NO_TERM, marks);
      }
    }
    returned.flush(
        (host, term, marks) -> link.send(host, term, DownlinkMessage.ofReturnedMarks(marks)));
    if (!undelivered.isEmpty()) {
      link.send(report.host(), NO_TERM, DownlinkMessage.ofUndeliveredMarks(undelivered));
    }
  }
}

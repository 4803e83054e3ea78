// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.loop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.Notice;
import org.sluice.api.link.UnitShare;
import org.sluice.engine.DecisionSink;
import org.sluice.engine.NoticeDraft;
import org.sluice.onos.notice.NoticeService;

/** Collects the decisions of a tick, and sends them: one message per host, kind and term. */
final class DecisionOutbox implements DecisionSink {
  private final AgentLink link;
  private final NoticeService noticeService;
  private final ToLongFunction<PortId> termOfPort;
  private final Map<HostId, TreeMap<Long, List<UnitShare>>> shares = new HashMap<>();
  private final Map<HostId, TreeMap<Long, List<Notice>>> notices = new HashMap<>();

  DecisionOutbox(AgentLink link, NoticeService noticeService, ToLongFunction<PortId> termOfPort) {
    this.link = link;
    this.noticeService = noticeService;
    this.termOfPort = termOfPort;
  }

  @Override
  public void unitShare(HostId host, UnitShare share) {
    add(shares, host, share.port(), share);
  }

  @Override
  public void notice(HostId host, NoticeDraft notice) {
    add(notices, host, notice.port(), notice.toNotice());
  }

  private <T> void add(
      Map<HostId, TreeMap<Long, List<T>>> waiting, HostId host, PortId port, T decision) {
    waiting
        .computeIfAbsent(host, h -> new TreeMap<>())
        .computeIfAbsent(termOfPort.applyAsLong(port), t -> new ArrayList<>())
        .add(decision);
  }

  /** Sends what the tick decided. */
  void flush() {
    shares.forEach(
        (host, byTerm) -> byTerm.forEach((term, list) -> link.sendUnitShares(host, term, list)));
    shares.clear();
    notices.forEach(
        (host, byTerm) -> byTerm.forEach((term, list) -> noticeService.send(host, term, list)));
    notices.clear();
  }
}

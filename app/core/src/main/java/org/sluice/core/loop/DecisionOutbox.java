// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.loop;

import java.util.HashMap;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.Notice;
import org.sluice.api.link.UnitShare;
import org.sluice.core.link.HostMessages;
import org.sluice.core.notice.NoticeService;
import org.sluice.core.profile.CeilingParts;
import org.sluice.engine.control.DecisionSink;
import org.sluice.engine.control.NoticeDraft;

/**
 * Collects the decisions of a tick, and sends them: one message per host, kind and term. Parts of
 * ceilings are the profiles' leader's to send.
 */
public final class DecisionOutbox implements DecisionSink {
  private final AgentLink link;
  private final NoticeService noticeService;
  private final ToLongFunction<PortId> termOfPort;
  private final HostMessages<UnitShare> shares = new HostMessages<>();
  private final HostMessages<Notice> notices = new HostMessages<>();
  private final CeilingParts ceilings;
  private final Map<EndpointId, Long> changedCeilings = new HashMap<>();

  public DecisionOutbox(
      AgentLink link,
      NoticeService noticeService,
      CeilingParts ceilings,
      ToLongFunction<PortId> termOfPort) {
    this.link = link;
    this.noticeService = noticeService;
    this.ceilings = ceilings;
    this.termOfPort = termOfPort;
  }

  @Override
  public void unitShare(HostId host, UnitShare share) {
    shares.add(host, termOfPort.applyAsLong(share.port()), share);
  }

  @Override
  public void notice(HostId host, NoticeDraft notice) {
    notices.add(host, termOfPort.applyAsLong(notice.port()), notice.toNotice());
  }

  @Override
  public void ceiling(EndpointId endpoint, long bitsPerSecond) {
    changedCeilings.put(endpoint, bitsPerSecond);
  }

  /** Sends what the tick decided. */
  void flush() {
    shares.flush((host, term, list) -> link.send(host, term, DownlinkMessage.ofUnitShares(list)));
    notices.flush(noticeService::send);
    if (!changedCeilings.isEmpty()) {
      ceilings.change(changedCeilings);
      changedCeilings.clear();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.LossAnswer;
import org.sluice.api.link.Resend;
import org.sluice.api.link.WindowGrant;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.engine.deadline.GrantSink;
import org.sluice.engine.deadline.LossSink;

/**
 * Collects the grants and the answers to losses of a step, and sends them: one message per host, in
 * the order in which hosts got their first.
 */
final class GrantOutbox implements GrantSink, LossSink {
  private final AgentLink link;
  private final ReportedEndpoints endpoints;
  private final LostFrames lostFrames;
  private final long term;
  private final Map<HostId, List<WindowGrant>> grants = new LinkedHashMap<>();
  private final Map<HostId, List<LossAnswer>> answers = new LinkedHashMap<>();
  private final Map<HostId, List<Resend>> resends = new LinkedHashMap<>();

  /** Which agent stores what a port dropped. */
  private final Map<PortId, HostId> portAgents = new HashMap<>();

  GrantOutbox(AgentLink link, ReportedEndpoints endpoints, LostFrames lostFrames, long term) {
    this.link = link;
    this.endpoints = endpoints;
    this.lostFrames = lostFrames;
    this.term = term;
  }

  @Override
  public void grant(WindowGrant grant) {
    toSource(grant.flow(), grants, grant);
  }

  /** The agent of a port, by its certificate's name. */
  void setPortAgent(PortId port, HostId agent) {
    portAgents.put(port, agent);
  }

  @Override
  public void answer(LossAnswer answer) {
    toSource(answer.flow(), answers, answer);
  }

  @Override
  public void resend(Resend resend) {
    if (lostFrames.send(resend)) {
      return;
    }
    HostId agent = portAgents.get(resend.port());
    if (agent != null) {
      to(agent, resends, resend);
    }
  }

  private <T> void toSource(FlowKey flow, Map<HostId, List<T>> outgoing, T message) {
    endpoints.holder(flow.source()).ifPresent(source -> to(source.id().host(), outgoing, message));
  }

  private static <T> void to(HostId host, Map<HostId, List<T>> outgoing, T message) {
    outgoing.computeIfAbsent(host, h -> new ArrayList<>()).add(message);
  }

  void flush() {
    resends.forEach((host, list) -> send(host, DownlinkMessage.ofResends(list)));
    resends.clear();
    answers.forEach((host, list) -> send(host, DownlinkMessage.ofLossAnswers(list)));
    answers.clear();
    grants.forEach((host, list) -> send(host, DownlinkMessage.ofWindowGrants(list)));
    grants.clear();
  }

  private void send(HostId host, DownlinkMessage message) {
    link.send(host, term, message);
  }
}

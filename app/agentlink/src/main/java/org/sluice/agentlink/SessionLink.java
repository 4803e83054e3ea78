// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.sluice.api.HostId;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.AgentLinkListener;
import org.sluice.api.link.EndpointPolicy;
import org.sluice.api.link.FlowAnswer;
import org.sluice.api.link.HostSettings;
import org.sluice.api.link.LossAnswer;
import org.sluice.api.link.Notice;
import org.sluice.api.link.Resend;
import org.sluice.api.link.UnitShare;
import org.sluice.api.link.WindowGrant;

/** Speaks to hosts by the sessions that there are, wherever those come from. */
abstract class SessionLink implements AgentLink {
  private static final int KEY_BYTES = 32;

  final HostRegistry registry = new HostRegistry();

  /** What went over the link since the start, for every host heard of, by id. */
  public List<HostLinkStats> stats() {
    List<HostLinkStats> stats = new ArrayList<>();
    registry.channels().forEach(channel -> stats.add(channel.stats()));
    stats.sort(Comparator.comparing(HostLinkStats::host));
    return stats;
  }

  /** How many calls and messages were refused since the start. */
  public long refusals() {
    return registry.refusals();
  }

  @Override
  public Set<HostId> connectedHosts() {
    Set<HostId> connected = new TreeSet<>();
    registry.channels().stream()
        .filter(channel -> channel.session().isPresent())
        .forEach(channel -> connected.add(channel.host()));
    return connected;
  }

  @Override
  public void sendPolicies(HostId host, long term, List<EndpointPolicy> policies) {
    send(host, outbox -> outbox.policies(term, policies));
  }

  @Override
  public void sendUnitShares(HostId host, long term, List<UnitShare> shares) {
    send(host, outbox -> outbox.unitShares(term, shares));
  }

  @Override
  public void sendNotices(HostId host, long term, List<Notice> notices) {
    send(host, outbox -> outbox.notices(term, notices));
  }

  @Override
  public void sendSettings(HostId host, long term, HostSettings settings) {
    send(host, outbox -> outbox.settings(term, settings));
  }

  @Override
  public void sendPeerKey(HostId host, long term, int keyId, byte[] key) {
    checkKey("a peer key", key);
    send(host, outbox -> outbox.peerKey(term, keyId, key));
  }

  @Override
  public void sendNoticeKey(HostId host, long term, int keyId, byte[] key) {
    checkKey("a notice key", key);
    send(host, outbox -> outbox.noticeKey(term, keyId, key));
  }

  @Override
  public void sendGrants(HostId host, long term, List<WindowGrant> grants) {
    send(host, outbox -> outbox.grants(term, grants));
  }

  @Override
  public void sendFlowAnswer(HostId host, long term, FlowAnswer answer) {
    send(host, outbox -> outbox.flowAnswer(term, answer));
  }

  @Override
  public void sendLossAnswers(HostId host, long term, List<LossAnswer> answers) {
    send(host, outbox -> outbox.lossAnswers(term, answers));
  }

  @Override
  public void sendResends(HostId host, long term, List<Resend> resends) {
    send(host, outbox -> outbox.resends(term, resends));
  }

  private static void checkKey(String what, byte[] key) {
    if (key.length != KEY_BYTES) {
      throw new IllegalArgumentException(what + " has " + KEY_BYTES + " bytes, not " + key.length);
    }
  }

  @Override
  public void addListener(AgentLinkListener listener) {
    registry.addListener(listener);
  }

  @Override
  public void removeListener(AgentLinkListener listener) {
    registry.removeListener(listener);
  }

  private void send(HostId host, Consumer<Outbox> message) {
    registry
        .session(host)
        .ifPresent(
            session -> {
              message.accept(session.outbox());
              session.flush();
            });
  }
}

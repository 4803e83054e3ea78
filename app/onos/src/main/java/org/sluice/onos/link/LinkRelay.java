// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.link;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
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

/**
 * The agent link that the other components hold on to, while the one that listens comes, goes and
 * changes with the parameters. Without one, nobody is connected.
 */
class LinkRelay implements AgentLink {
  private final List<AgentLinkListener> listeners = new CopyOnWriteArrayList<>();
  private final Object change = new Object();
  private volatile AgentLink current;

  /** Listeners hear what is said on this link from now on. */
  final void use(AgentLink link) {
    synchronized (change) {
      current = link;
      listeners.forEach(link::addListener);
    }
  }

  /** Nobody is connected from now on. */
  final void drop() {
    synchronized (change) {
      current = null;
    }
  }

  @Override
  public Set<HostId> connectedHosts() {
    AgentLink link = current;
    return link == null ? Set.of() : link.connectedHosts();
  }

  @Override
  public void sendPolicies(HostId host, long term, List<EndpointPolicy> policies) {
    send(link -> link.sendPolicies(host, term, policies));
  }

  @Override
  public void sendUnitShares(HostId host, long term, List<UnitShare> shares) {
    send(link -> link.sendUnitShares(host, term, shares));
  }

  @Override
  public void sendNotices(HostId host, long term, List<Notice> notices) {
    send(link -> link.sendNotices(host, term, notices));
  }

  @Override
  public void sendSettings(HostId host, long term, HostSettings settings) {
    send(link -> link.sendSettings(host, term, settings));
  }

  @Override
  public void sendPeerKey(HostId host, long term, int keyId, byte[] key) {
    send(link -> link.sendPeerKey(host, term, keyId, key));
  }

  @Override
  public void sendNoticeKey(HostId host, long term, int keyId, byte[] key) {
    send(link -> link.sendNoticeKey(host, term, keyId, key));
  }

  @Override
  public void sendGrants(HostId host, long term, List<WindowGrant> grants) {
    send(link -> link.sendGrants(host, term, grants));
  }

  @Override
  public void sendFlowAnswer(HostId host, long term, FlowAnswer answer) {
    send(link -> link.sendFlowAnswer(host, term, answer));
  }

  @Override
  public void sendLossAnswers(HostId host, long term, List<LossAnswer> answers) {
    send(link -> link.sendLossAnswers(host, term, answers));
  }

  @Override
  public void sendResends(HostId host, long term, List<Resend> resends) {
    send(link -> link.sendResends(host, term, resends));
  }

  @Override
  public final void addListener(AgentLinkListener listener) {
    synchronized (change) {
      listeners.add(listener);
      send(link -> link.addListener(listener));
    }
  }

  @Override
  public final void removeListener(AgentLinkListener listener) {
    synchronized (change) {
      listeners.remove(listener);
      send(link -> link.removeListener(listener));
    }
  }

  private void send(Consumer<AgentLink> call) {
    AgentLink link = current;
    if (link != null) {
      call.accept(link);
    }
  }
}

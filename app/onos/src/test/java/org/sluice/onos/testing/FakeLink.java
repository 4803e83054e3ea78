// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import org.sluice.api.HostId;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.AgentLinkListener;
import org.sluice.api.link.EndpointPolicy;
import org.sluice.api.link.FlowAnswer;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostSettings;
import org.sluice.api.link.LossAnswer;
import org.sluice.api.link.Notice;
import org.sluice.api.link.Resend;
import org.sluice.api.link.UnitShare;
import org.sluice.api.link.WindowGrant;

/** An agent link without a network: tests speak as hosts and read what hosts were told. */
public final class FakeLink implements AgentLink {
  /** Something that a host was told. */
  public static final class Message {
    public final HostId host;
    public final long term;
    public final Object body;

    Message(HostId host, long term, Object body) {
      this.host = host;
      this.term = term;
      this.body = body;
    }

    @Override
    public String toString() {
      return host + " term " + term + ": " + body;
    }
  }

  /** A host's key for in-band notices. */
  public static final class NoticeKey {
    public final int id;
    public final byte[] key;

    NoticeKey(int id, byte[] key) {
      this.id = id;
      this.key = key.clone();
    }
  }

  public final List<Message> sent = new CopyOnWriteArrayList<>();
  public final List<AgentLinkListener> listeners = new CopyOnWriteArrayList<>();
  private final Set<HostId> connected = new TreeSet<>();

  public void connect(HostHello hello) {
    connected.add(hello.host());
    listeners.forEach(listener -> listener.connected(hello));
  }

  public void disconnect(HostId host) {
    connected.remove(host);
    listeners.forEach(listener -> listener.disconnected(host));
  }

  @Override
  public Set<HostId> connectedHosts() {
    return Set.copyOf(connected);
  }

  @Override
  public void sendPolicies(HostId host, long term, List<EndpointPolicy> policies) {
    sent.add(new Message(host, term, policies));
  }

  @Override
  public void sendUnitShares(HostId host, long term, List<UnitShare> shares) {
    sent.add(new Message(host, term, shares));
  }

  @Override
  public void sendNotices(HostId host, long term, List<Notice> notices) {
    sent.add(new Message(host, term, notices));
  }

  @Override
  public void sendSettings(HostId host, long term, HostSettings settings) {
    sent.add(new Message(host, term, settings));
  }

  @Override
  public void sendPeerKey(HostId host, long term, int keyId, byte[] key) {
    sent.add(new Message(host, term, keyId));
  }

  @Override
  public void sendNoticeKey(HostId host, long term, int keyId, byte[] key) {
    sent.add(new Message(host, term, new NoticeKey(keyId, key)));
  }

  @Override
  public void sendGrants(HostId host, long term, List<WindowGrant> grants) {
    sent.add(new Message(host, term, grants));
  }

  @Override
  public void sendFlowAnswer(HostId host, long term, FlowAnswer answer) {
    sent.add(new Message(host, term, answer));
  }

  @Override
  public void sendLossAnswers(HostId host, long term, List<LossAnswer> answers) {
    sent.add(new Message(host, term, answers));
  }

  @Override
  public void sendResends(HostId host, long term, List<Resend> resends) {
    sent.add(new Message(host, term, resends));
  }

  @Override
  public void addListener(AgentLinkListener listener) {
    listeners.add(listener);
  }

  @Override
  public void removeListener(AgentLinkListener listener) {
    listeners.remove(listener);
  }
}

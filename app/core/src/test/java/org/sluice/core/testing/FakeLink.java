// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.testing;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.sluice.agentlink.HostAccess;
import org.sluice.api.HostId;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.AgentLinkListener;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.UplinkMessage;
import org.sluice.core.link.LinkServer;

/** An agent link without a network: tests report as hosts and read what hosts received. */
public final class FakeLink implements AgentLink, LinkServer {
  /** A message that a host received. */
  public static final class Sent {
    public final HostId host;
    public final long term;
    public final DownlinkMessage message;

    Sent(HostId host, long term, DownlinkMessage message) {
      this.host = host;
      this.term = term;
      this.message = message;
    }

    @Override
    public String toString() {
      return host + " term " + term + ": " + message;
    }
  }

  public final List<Sent> sent = new CopyOnWriteArrayList<>();
  public final List<AgentLinkListener> listeners = new CopyOnWriteArrayList<>();

  /** What happens when a host receives a message. */
  public Consumer<Sent> whenSent = message -> {};

  private boolean failed;
  private final Map<HostId, HostHello> connected = new ConcurrentSkipListMap<>();

  public void connect(HostHello hello) {
    connected.put(hello.host(), hello);
    report(UplinkMessage.ofSessionOpened(hello));
  }

  public void disconnect(HostId host) {
    connected.remove(host);
    report(UplinkMessage.ofSessionClosed(host));
  }

  /** The node's machine fails: it receives nothing any more, and nothing that it sends arrives. */
  void fail() {
    failed = true;
    listeners.clear();
  }

  /** All listeners receive a message. */
  public void report(UplinkMessage message) {
    listeners.forEach(listener -> listener.received(message));
  }

  /** The messages of a kind that a host received, each as the accessor of that kind reads it. */
  public <T> List<T> sentTo(
      HostId host, DownlinkMessage.Kind kind, Function<DownlinkMessage, T> content) {
    return sent.stream()
        .filter(each -> each.host.equals(host) && each.message.kind() == kind)
        .map(each -> content.apply(each.message))
        .collect(Collectors.toList());
  }

  /** All that the messages of a kind list which a host received. */
  public <T> List<T> listedTo(
      HostId host, DownlinkMessage.Kind kind, Function<DownlinkMessage, List<T>> content) {
    return sentTo(host, kind, content).stream().flatMap(List::stream).collect(Collectors.toList());
  }

  @Override
  public AgentLink link() {
    return this;
  }

  @Override
  public void setAccess(HostAccess access) {
    // Whom a test connects is connected.
  }

  @Override
  public void close() {
    // A test's link has nothing to release.
  }

  @Override
  public Set<HostId> connectedHosts() {
    return Set.copyOf(connected.keySet());
  }

  @Override
  public void send(HostId host, long term, DownlinkMessage message) {
    if (!failed) {
      Sent now = new Sent(host, term, message);
      sent.add(now);
      whenSent.accept(now);
    }
  }

  @Override
  public void addListener(AgentLinkListener listener) {
    listeners.add(listener);
    connected.values().forEach(hello -> listener.received(UplinkMessage.ofSessionOpened(hello)));
  }

  @Override
  public void removeListener(AgentLinkListener listener) {
    listeners.remove(listener);
  }
}

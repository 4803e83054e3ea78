// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.HostId;
import org.sluice.api.link.AgentLinkListener;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.FlowRequest;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.LossReport;
import org.sluice.api.link.PortQueueObservation;

/**
 * All that concerns one host: its current session and, in order, what listeners hear of it. Only
 * the current session is heard; a replaced one falls silent before its successor is announced.
 */
final class HostChannel {
  private static final Logger log = LoggerFactory.getLogger(HostChannel.class);

  private final HostId host;
  private final HostCounters counters = new HostCounters();
  private final List<AgentLinkListener> listeners = new CopyOnWriteArrayList<>();
  private volatile HostSession current;
  private HostHello hello;

  HostChannel(HostId host, Collection<AgentLinkListener> listeners) {
    this.host = host;
    this.listeners.addAll(listeners);
  }

  HostId host() {
    return host;
  }

  HostCounters counters() {
    return counters;
  }

  Optional<HostSession> session() {
    return Optional.ofNullable(current);
  }

  HostLinkStats stats() {
    return counters.snapshot(host, current != null);
  }

  synchronized void addListener(AgentLinkListener listener) {
    if (!listeners.contains(listener)) {
      listeners.add(listener);
      if (current != null) {
        tell(listener, l -> l.connected(hello));
      }
    }
  }

  synchronized void removeListener(AgentLinkListener listener) {
    listeners.remove(listener);
  }

  /** Makes this the host's session; returns the one that it replaces. */
  synchronized Optional<HostSession> open(HostSession session, HostHello itsHello) {
    HostSession replaced = current;
    current = session;
    hello = itsHello;
    counters.sessions.increment();
    tellAll(l -> l.connected(itsHello));
    return Optional.ofNullable(replaced);
  }

  /** Tells listeners what a session says, if it is still the host's. */
  private synchronized void pass(HostSession session, Consumer<AgentLinkListener> news) {
    if (current == session) {
      tellAll(news);
    }
  }

  void observed(HostSession session, HostObservation observation) {
    pass(session, l -> l.observed(observation));
  }

  void queued(HostSession session, PortQueueObservation observation) {
    pass(session, l -> l.queued(observation));
  }

  void flowsReported(HostSession session, FlowReport report) {
    pass(session, l -> l.flowsReported(report));
  }

  void flowRequested(HostSession session, FlowRequest request) {
    pass(session, l -> l.flowRequested(request));
  }

  void lost(HostSession session, LossReport report) {
    pass(session, l -> l.lost(report));
  }

  synchronized void happened(HostSession session, HostEvent event) {
    if (current == session) {
      if (event.kind() == HostEvent.Kind.ENDPOINTS_CHANGED) {
        hello = withEndpoints(event);
      }
      tellAll(l -> l.happened(event));
    }
  }

  synchronized void ended(HostSession session) {
    if (current == session) {
      current = null;
      hello = null;
      tellAll(l -> l.disconnected(host));
    }
  }

  /** So that a listener that comes later hears of the endpoints as they are now. */
  private HostHello withEndpoints(HostEvent event) {
    return HostHello.of(
        host,
        hello.agentVersion(),
        hello.uplink(),
        hello.uplinkMac(),
        hello.uplinkCapacityBitsPerSecond(),
        event.endpoints(),
        hello.missingFeatures(),
        hello.switchPorts());
  }

  private void tellAll(Consumer<AgentLinkListener> news) {
    for (AgentLinkListener listener : listeners) {
      tell(listener, news);
    }
  }

  static void tell(AgentLinkListener listener, Consumer<AgentLinkListener> news) {
    try {
      news.accept(listener);
    } catch (RuntimeException e) {
      // One listener's fault must not end a host's session, nor keep news from the others.
      log.error("A listener of the agent link failed", e);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import io.grpc.Status;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.HostId;
import org.sluice.api.link.AgentLinkListener;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.Quarantine;
import org.sluice.api.link.UplinkMessage;

/**
 * One host's current session and, in order, its messages to the listeners. Those of a session that
 * was replaced are discarded from before its successor is announced.
 */
final class HostChannel {
  private static final Logger log = LoggerFactory.getLogger(HostChannel.class);

  private final HostId host;
  private final HostCounters counters = new HostCounters();
  private final List<AgentLinkListener> listeners = new CopyOnWriteArrayList<>();
  private volatile HostSession current;
  private HostHello hello;
  private final HostQuarantine quarantine = new HostQuarantine();
  private final AtomicInteger calls = new AtomicInteger();
  private final RateLimit endpointLists = new RateLimit(HostLimits.ENDPOINT_LISTS_PER_SECOND);

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
        deliver(listener, UplinkMessage.ofSessionOpened(hello));
      }
      quarantine
          .reason()
          .ifPresent(
              reason -> deliver(listener, UplinkMessage.ofQuarantine(Quarantine.of(host, reason))));
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
    deliverToAll(UplinkMessage.ofSessionOpened(itsHello));
    return Optional.ofNullable(replaced);
  }

  /** Delivers what a session reports to the listeners, if it is still the host's. */
  synchronized void deliver(HostSession session, UplinkMessage message) {
    if (current == session) {
      if (message.kind() == UplinkMessage.Kind.EVENT
          && message.event().kind() == HostEvent.Kind.ENDPOINTS_CHANGED) {
        // A listener that is added later receives the endpoints as they are then.
        hello = hello.withEndpoints(message.event().endpoints());
      }
      deliverToAll(message);
    }
  }

  /** Whether another call of the host may begin; if so, it counts until {@link #callEnded}. */
  boolean beginCall() {
    if (calls.incrementAndGet() <= HostLimits.CALLS) {
      return true;
    }
    calls.decrementAndGet();
    return false;
  }

  void callEnded() {
    calls.decrementAndGet();
  }

  /** Takes note of a list of the host's endpoints; refuses it if there were too many lately. */
  void checkEndpointList(long nowNanos) throws BadMessageException {
    if (!endpointLists.permits(nowNanos)) {
      throw BadMessageException.overLimit(
          "more than "
              + HostLimits.ENDPOINT_LISTS_PER_SECOND
              + " lists of endpoints in a second; an agent of this release sends 10");
    }
  }

  HostQuarantine quarantine() {
    return quarantine;
  }

  /** The host exceeded a limit: from now on nothing that it reports is taken in. */
  synchronized void exceeded(String limit, long nowNanos) {
    if (quarantine.exceeded(limit, nowNanos)) {
      deliverToAll(UplinkMessage.ofQuarantine(Quarantine.of(host, limit)));
    }
  }

  /** Ends the quarantine if it is time. The agent then says anew what it has. */
  synchronized void tick(long nowNanos) {
    if (quarantine.endIfOver(nowNanos)) {
      deliverToAll(UplinkMessage.ofQuarantine(Quarantine.over(host)));
      HostSession session = current;
      if (session != null) {
        session.end(
            Status.UNAVAILABLE.withDescription(
                "the quarantine of host " + host + " is over; open a new session"));
      }
    }
  }

  synchronized void ended(HostSession session) {
    if (current == session) {
      current = null;
      hello = null;
      deliverToAll(UplinkMessage.ofSessionClosed(host));
    }
  }

  private void deliverToAll(UplinkMessage message) {
    for (AgentLinkListener listener : listeners) {
      deliver(listener, message);
    }
  }

  static void deliver(AgentLinkListener listener, UplinkMessage message) {
    try {
      listener.received(message);
    } catch (RuntimeException e) {
      // One listener's fault must not end a host's session, nor keep messages from the others.
      log.error("A listener of the agent link failed", e);
    }
  }
}

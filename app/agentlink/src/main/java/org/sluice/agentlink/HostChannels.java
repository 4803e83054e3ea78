// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.HostId;
import org.sluice.api.link.AgentLinkListener;
import org.sluice.api.link.Refusal;
import org.sluice.api.link.UplinkMessage;

/**
 * The hosts that connected, the sessions, and the listeners. Never forgets a host: there are at
 * most as many as there are certificates.
 */
final class HostChannels {
  private static final Logger log = LoggerFactory.getLogger(HostChannels.class);
  private static final int REPORTED_REFUSALS_PER_SECOND = 10;
  private static final int MAX_REASON_LENGTH = 1000;

  private final Map<HostId, HostChannel> channels = new ConcurrentHashMap<>();
  private final Set<HostSession> sessions = ConcurrentHashMap.newKeySet();
  private final List<AgentLinkListener> listeners = new CopyOnWriteArrayList<>();
  private final RateLimit reportedRefusals = new RateLimit(REPORTED_REFUSALS_PER_SECOND);
  private final AtomicLong refusals = new AtomicLong();
  private volatile HostAccess access = HostAccess.ALL;

  /** The channel of a host whose certificate was accepted. */
  HostChannel channel(HostId host) {
    HostChannel known = channels.get(host);
    if (known != null) {
      return known;
    }
    synchronized (this) {
      return channels.computeIfAbsent(host, id -> new HostChannel(id, listeners));
    }
  }

  Optional<HostSession> session(HostId host) {
    HostChannel channel = channels.get(host);
    return channel == null ? Optional.empty() : channel.session();
  }

  Collection<HostChannel> channels() {
    return channels.values();
  }

  /** All sessions, those without a Hello yet among them. */
  Set<HostSession> sessions() {
    return sessions;
  }

  void addListener(AgentLinkListener listener) {
    List<HostChannel> known;
    synchronized (this) {
      listeners.add(listener);
      known = new ArrayList<>(channels.values());
    }
    // Not under this lock: a channel calls listeners under its own, and those may come back here.
    known.forEach(channel -> channel.addListener(listener));
  }

  void removeListener(AgentLinkListener listener) {
    List<HostChannel> known;
    synchronized (this) {
      listeners.remove(listener);
      known = new ArrayList<>(channels.values());
    }
    known.forEach(channel -> channel.removeListener(listener));
  }

  HostAccess access() {
    return access;
  }

  /** Ends the sessions of those who may not have one any more, and opens no more of them. */
  void setAccess(HostAccess now) {
    access = now;
    for (HostSession session : sessions) {
      session.checkAccess(now);
    }
  }

  /** Counts a refusal, and reports it unless there are too many. */
  void refused(String who, String message) {
    refusals.incrementAndGet();
    if (reportedRefusals.permits(System.nanoTime())) {
      String reason = AgentText.readable(message, MAX_REASON_LENGTH);
      log.warn("Refused the connection or a message of {}: {}", who, reason);
      UplinkMessage refusal = UplinkMessage.ofRefusal(Refusal.of(who, reason));
      for (AgentLinkListener listener : listeners) {
        HostChannel.deliver(listener, refusal);
      }
    }
  }

  long refusals() {
    return refusals.get();
  }
}

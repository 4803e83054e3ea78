// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.sluice.api.HostId;
import org.sluice.api.IpPrefix;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.TcpHints;
import org.sluice.api.policy.PrefixHint;
import org.sluice.api.policy.TcpHint;
import org.sluice.engine.opentcp.HintSink;

/**
 * Takes the oracle's hints for groups to their hosts: each gets its full set when that changes, in
 * a new session, and in a new term; the first set even if it is empty, for the answer is whether
 * the host takes hints. Engine thread only, but for what it shows.
 */
final class HintOutbox implements HintSink {
  /** Most prefixes of a host's hints; what groups beyond are hinted is left out. */
  static final int MOST_PREFIXES = 1024;

  private final AgentLink link;
  private PolicyNetwork network;
  private TcpHint[] toAll = {};

  /** By sending group, then by the one that is sent to. */
  private List<TreeMap<Integer, TcpHint>> toOne = List.of();

  private Map<HostId, Long> sessions = Map.of();
  private long term;
  private long revision;
  private boolean isChanged;
  private final Map<HostId, SentHints> sent = new HashMap<>();
  private volatile Map<HostId, SentHints> shown = Map.of();

  HintOutbox(AgentLink link) {
    this.link = link;
  }

  /** Groups are others from here on, and have no hints yet. */
  void begin(PolicyNetwork other) {
    network = other;
    toAll = new TcpHint[other.groups().size()];
    Arrays.fill(toAll, TcpHint.NONE);
    toOne = new ArrayList<>();
    other.groups().forEach(group -> toOne.add(new TreeMap<>()));
    isChanged = true;
  }

  /** Groups have other hosts, hosts other addresses or sessions, or this node another term. */
  void address(PolicyNetwork sameGroups, Map<HostId, Long> now, long inTerm) {
    network = sameGroups;
    sessions = now;
    term = inTerm;
    isChanged = true;
  }

  @Override
  public void hint(int source, int destination, TcpHint hint) {
    if (destination == EVERY) {
      toAll[source] = hint;
    } else if (hint.isEmpty()) {
      toOne.get(source).remove(destination);
    } else {
      toOne.get(source).put(destination, hint);
    }
    isChanged = true;
  }

  /** Whether a group's hosts have hints now, about all that they send or some of it. */
  boolean hasHints(int group) {
    return !toAll[group].isEmpty() || !toOne.get(group).isEmpty();
  }

  /** Sends what has changed since the last time. */
  void flush(long nowNanos) {
    if (!isChanged) {
      return;
    }
    isChanged = false;
    Set<HostId> others = new HashSet<>(sent.keySet());
    for (int group = 0; group < network.groups().size(); group++) {
      Content content = content(group);
      for (HostId host : network.hosts(group)) {
        Long session = sessions.get(host);
        if (session != null) {
          others.remove(host);
          send(host, session, network.groups().get(group), content, nowNanos);
        }
      }
    }
    others.forEach(this::release);
    shown = Map.copyOf(sent);
  }

  /** No host has hints of this node any longer. */
  void end() {
    List.copyOf(sent.keySet()).forEach(this::release);
    network = null;
    isChanged = false;
    shown = Map.of();
  }

  /** A group's hints and what had no space in them. */
  private static final class Content {
    final List<PrefixHint> hints = new ArrayList<>();
    int leftOutGroups;
  }

  private Content content(int group) {
    Content content = new Content();
    int room = MOST_PREFIXES;
    for (Map.Entry<Integer, TcpHint> hint : toOne.get(group).entrySet()) {
      List<IpPrefix> prefixes = network.prefixes(hint.getKey());
      if (prefixes.size() > room) {
        content.leftOutGroups++;
      } else if (!prefixes.isEmpty()) {
        room -= prefixes.size();
        content.hints.add(PrefixHint.of(prefixes, hint.getValue()));
      }
    }
    if (!toAll[group].isEmpty()) {
      content.hints.add(PrefixHint.of(List.of(), toAll[group]));
    }
    return content;
  }

  private void send(HostId host, long session, String group, Content content, long nowNanos) {
    SentHints before = sent.get(host);
    if (before != null
        && before.session == session
        && before.term == term
        && before.hints.equals(content.hints)) {
      if (!before.group.equals(group)) {
        sent.put(host, before.withGroup(group));
      }
      return;
    }
    revision++;
    link.send(host, term, DownlinkMessage.ofTcpHints(TcpHints.of(revision, content.hints)));
    sent.put(
        host,
        new SentHints(
            session, term, group, revision, content.hints, content.leftOutGroups, nowNanos));
  }

  /** A host that is in no group any longer, or away: with its session its hints have ended. */
  private void release(HostId host) {
    SentHints before = sent.remove(host);
    Long session = sessions.get(host);
    if (!before.hints.isEmpty() && session != null && session == before.session) {
      revision++;
      link.send(host, before.term, DownlinkMessage.ofTcpHints(TcpHints.of(revision, List.of())));
    }
  }

  /** By host: what it was sent last; of hosts with a session. From any thread. */
  Map<HostId, SentHints> shown() {
    return shown;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.sluice.api.PortId;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.RateCap;
import org.sluice.api.queue.ActiveCap;
import org.sluice.api.queue.ActiveCap.Enforcer;
import org.sluice.core.link.HostMessages;
import org.sluice.engine.micro.CapDraft;

/**
 * Takes caps to whoever can hold background flows to them: the upstream port's agent, sent by the
 * master of the downstream port's switch; else a meter of the upstream port's switch, set by that
 * one's master. Engine thread only.
 */
final class CapOutbox {
  /** How long a cap that nothing could enforce is remembered. */
  private static final long UNENFORCED_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final MicroFlowContext context;
  private final PortAgents agents;
  private final CapMeterBook meters;
  private final CapJournal journal;
  private final HostMessages<RateCap> messages = new HostMessages<>();

  /** By downstream, then by upstream port. */
  private final Map<PortId, TreeMap<PortId, CapState>> caps = new HashMap<>();

  private final Map<UnenforcedCap, Long> unenforcedNanos = new HashMap<>();

  CapOutbox(MicroFlowContext context, PortAgents agents, CapMeterBook meters, CapJournal journal) {
    this.context = context;
    this.agents = agents;
    this.meters = meters;
    this.journal = journal;
  }

  void cap(CapDraft cap, long nowNanos) {
    PortId upstream = cap.upstream();
    PortId downstream = cap.downstream();
    Optional<KeptQueue> agent = agents.withLevels(upstream);
    if (agent.isPresent()) {
      send(agent.get(), downstream, cap.bitsPerSecond(), cap.untilNanos() - nowNanos);
    } else if (isMetered(upstream)) {
      meters.cap(upstream, downstream, cap.bitsPerSecond());
    }
    CapState state =
        caps.computeIfAbsent(downstream, port -> new TreeMap<>())
            .computeIfAbsent(upstream, port -> new CapState(port, downstream));
    Enforcer enforcer = enforcer(upstream, downstream, agent.isPresent());
    state.take(cap, enforcer);
    if (enforcer == Enforcer.NONE) {
      unenforcedNanos.put(UnenforcedCap.of(upstream, downstream), nowNanos);
    }
    if (!decidesAbout(downstream)) {
      return;
    }
    if (state.isBegun()) {
      journal.renewed(state, nowNanos);
    } else {
      journal.begun(state, nowNanos);
    }
  }

  void restored(PortId upstream, PortId downstream, long nowNanos) {
    agents
        .withLevels(upstream)
        .ifPresent(agent -> send(agent, downstream, 0, RateCap.MOST_HOLD_NANOS));
    meters.restored(upstream, downstream);
    CapState state = caps.getOrDefault(downstream, new TreeMap<>()).get(upstream);
    if (state != null) {
      state.end(nowNanos);
    }
  }

  private void send(KeptQueue agent, PortId downstream, long bitsPerSecond, long holdNanos) {
    if (decidesAbout(downstream)) {
      long hold = Math.max(1, Math.min(RateCap.MOST_HOLD_NANOS, holdNanos));
      messages.add(
          agent.agent,
          context.termOfPort.applyAsLong(downstream),
          RateCap.of(agent.port, downstream, bitsPerSecond, hold));
    }
  }

  private boolean decidesAbout(PortId port) {
    return context.authority.decidesAbout(port);
  }

  /** Whether this node has the switch of an upstream port cap there. */
  boolean isMetered(PortId upstream) {
    return context.platform.forwarding().own()
        && decidesAbout(upstream)
        && agents.withLevels(upstream).isEmpty();
  }

  private Enforcer enforcer(PortId upstream, PortId downstream, boolean hasAgent) {
    if (hasAgent) {
      return Enforcer.PORT_AGENT;
    }
    boolean isMetered =
        context.platform.forwarding().own()
            && !context.platform.capMeters().isOutOfReach(upstream, downstream);
    return isMetered ? Enforcer.METER : Enforcer.NONE;
  }

  /** Sends what was decided since the last time. */
  void flush(Collection<TrackedFlow> flows, long nowNanos) {
    messages.flush(
        (host, term, list) -> context.link.send(host, term, DownlinkMessage.ofRateCaps(list)));
    meters.retain(this::isMetered);
    meters.flush(flows, nowNanos);
    for (Iterator<TreeMap<PortId, CapState>> all = caps.values().iterator(); all.hasNext(); ) {
      TreeMap<PortId, CapState> ofPort = all.next();
      ofPort.values().removeIf(state -> isOver(state, nowNanos));
      if (ofPort.isEmpty()) {
        all.remove();
      }
    }
    unenforcedNanos.values().removeIf(since -> nowNanos - since > UNENFORCED_NANOS);
  }

  private boolean isOver(CapState state, long nowNanos) {
    boolean isOver = !state.isActive() && nowNanos - state.endedNanos() >= CapJournal.PAUSE_NANOS;
    if (isOver && state.isBegun()) {
      journal.ended(state);
    }
    return isOver;
  }

  /** All is over. */
  void clear(long nowNanos) {
    meters.clear();
    flush(List.of(), nowNanos);
    caps.values()
        .forEach(all -> all.values().stream().filter(CapState::isBegun).forEach(journal::ended));
    caps.clear();
    unenforcedNanos.clear();
  }

  /** Those in force at ports that this node decides about, by upstream and downstream port. */
  List<ActiveCap> active(long nowNanos) {
    List<ActiveCap> found = new ArrayList<>();
    caps.forEach(
        (downstream, all) -> {
          if (decidesAbout(downstream)) {
            all.values().stream()
                .filter(CapState::isActive)
                .forEach(state -> found.add(state.describe(nowNanos)));
          }
        });
    found.sort(Comparator.comparing(ActiveCap::upstream).thenComparing(ActiveCap::downstream));
    return found;
  }

  /** Those of the last minute. */
  List<UnenforcedCap> unenforced() {
    return new ArrayList<>(unenforcedNanos.keySet());
  }
}

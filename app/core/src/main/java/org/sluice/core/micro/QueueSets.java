// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.link.BackgroundQueue;
import org.sluice.api.link.BackgroundQueues;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.spi.PathShare;
import org.sluice.core.spi.Topology;

/**
 * The background queues of ports with levels: one for each port by which the next switch sends on
 * what endpoints' addresses are behind. Sent by the master of the port's switch to the port's
 * agent, whenever they change. Engine thread only.
 */
final class QueueSets {
  private static final Logger log = LoggerFactory.getLogger(QueueSets.class);

  /** Endpoints that come together are taken in together. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final MicroFlowContext context;
  private final PortAgents agents;
  private final Map<PortId, Sent> sent = new HashMap<>();
  private long knownEpoch = Long.MIN_VALUE;
  private long nextNanos = Long.MIN_VALUE;
  private long refused;

  /** What a port's agent has been sent. */
  private static final class Sent {
    final KeptQueue agent;
    final long term;
    final BackgroundQueues queues;

    Sent(KeptQueue agent, long term, BackgroundQueues queues) {
      this.agent = agent;
      this.term = term;
      this.queues = queues;
    }
  }

  QueueSets(MicroFlowContext context, PortAgents agents) {
    this.context = context;
    this.agents = agents;
  }

  /** Brings port agents up to date. */
  void follow(long nowNanos) {
    long epoch =
        context.paths.epoch()
            + context.endpoints.epoch().get()
            + context.platform.topology().epoch().get()
            + context.authority.epoch()
            + agents.version();
    if (epoch == knownEpoch || nextNanos != Long.MIN_VALUE && nowNanos - nextNanos < 0) {
      return;
    }
    knownEpoch = epoch;
    nextNanos = nowNanos + PAUSE_NANOS;
    Map<PortId, PortId> peers = context.platform.topology().peers();
    Map<String, Map<PortId, Set<IpAddress>>> bySwitch = new HashMap<>();
    Set<PortId> wanted = new HashSet<>();
    refused = 0;
    for (KeptQueue queue : agents.all()) {
      PortId peer = peers.get(queue.port);
      if (peer != null && queue.hasLevels() && context.authority.decidesAbout(queue.port)) {
        wanted.add(queue.port);
        Map<PortId, Set<IpAddress>> beyond =
            bySwitch.computeIfAbsent(peer.datapath(), this::destinationsByPort);
        send(queue, queues(queue.port, peer, beyond));
      }
    }
    sent.values().stream().filter(last -> !wanted.contains(last.queues.port())).forEach(this::end);
    sent.keySet().retainAll(wanted);
  }

  private void send(KeptQueue queue, BackgroundQueues queues) {
    long term = context.termOfPort.applyAsLong(queue.port);
    Sent last = sent.get(queue.port);
    if (last == null || last.agent != queue || last.term != term || !last.queues.equals(queues)) {
      sent.put(queue.port, new Sent(queue, term, queues));
      context.link.send(queue.agent, term, DownlinkMessage.ofBackgroundQueues(queues));
    }
  }

  /** In the term in which they were set: whoever is the master by now has a newer one. */
  private void end(Sent last) {
    if (agents.find(last.queues.port()).orElse(null) == last.agent) {
      context.link.send(
          last.agent.agent,
          last.term,
          DownlinkMessage.ofBackgroundQueues(BackgroundQueues.of(last.queues.port(), List.of())));
    }
  }

  /** There are none any longer. */
  void clear() {
    sent.values().forEach(this::end);
    sent.clear();
    knownEpoch = Long.MIN_VALUE;
    nextNanos = Long.MIN_VALUE;
  }

  /** Queues beyond what an agent takes are left out, those with the fewest destinations first. */
  private BackgroundQueues queues(PortId port, PortId peer, Map<PortId, Set<IpAddress>> beyond) {
    List<BackgroundQueue> all = new ArrayList<>();
    beyond.forEach(
        (downstream, destinations) -> {
          if (!downstream.equals(peer)) {
            all.add(BackgroundQueue.of(downstream, destinations));
          }
        });
    all.sort(
        Comparator.comparingInt((BackgroundQueue queue) -> -queue.destinations().size())
            .thenComparing(BackgroundQueue::downstream));
    List<BackgroundQueue> fitting = new ArrayList<>();
    int destinations = 0;
    for (BackgroundQueue queue : all) {
      int more = queue.destinations().size();
      if (fitting.size() < BackgroundQueues.MOST_QUEUES
          && destinations + more <= BackgroundQueues.MOST_DESTINATIONS) {
        fitting.add(queue);
        destinations += more;
      } else {
        refused++;
      }
    }
    if (fitting.size() < all.size()) {
      log.warn(
          "{} of {} background queues of port {} are left out: an agent takes {} with {}"
              + " destinations; what goes there is not capped",
          all.size() - fitting.size(),
          all.size(),
          port,
          BackgroundQueues.MOST_QUEUES,
          BackgroundQueues.MOST_DESTINATIONS);
    }
    return BackgroundQueues.of(port, fitting);
  }

  /**
   * By which port a switch sends on what goes to each endpoint's addresses; not where it spreads.
   */
  private Map<PortId, Set<IpAddress>> destinationsByPort(String datapath) {
    Map<PortId, Set<IpAddress>> found = new TreeMap<>();
    Map<String, Optional<PortId>> bySwitch = new HashMap<>();
    for (ReportedEndpoint endpoint : context.endpoints.reported()) {
      for (IpAddress ip : endpoint.ips()) {
        context
            .platform
            .attachments()
            .locate(ip)
            .flatMap(edge -> next(datapath, edge, ip, bySwitch))
            .ifPresent(port -> found.computeIfAbsent(port, p -> new HashSet<>()).add(ip));
      }
    }
    return found;
  }

  private Optional<PortId> next(
      String from, PortId edge, IpAddress ip, Map<String, Optional<PortId>> bySwitch) {
    if (edge.datapath().equals(from)) {
      return Optional.of(edge);
    }
    Topology topology = context.platform.topology();
    if (!context.platform.forwarding().spreadsFlows()) {
      return topology.routedPath(from, edge.datapath(), ip).stream().findFirst();
    }
    return bySwitch.computeIfAbsent(edge.datapath(), to -> onlyNext(topology, from, to));
  }

  private static Optional<PortId> onlyNext(Topology topology, String from, String to) {
    PortId found = null;
    for (PathShare share : topology.equalCostPaths(from, to)) {
      if (share.egress().datapath().equals(from)) {
        if (found != null) {
          return Optional.empty();
        }
        found = share.egress();
      }
    }
    return Optional.ofNullable(found);
  }

  /** Background queues that are left out now, since a port's agent takes no more. */
  long refused() {
    return refused;
  }
}

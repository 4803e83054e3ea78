// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.sluice.api.PortId;
import org.sluice.core.registry.Capacities.Capacity;

/**
 * Which ports are evaluated and what feeds them: every egress port of a switch whose queues are
 * known, fed by all ports of other switches that lead to its switch. Hosts feed no port here: what
 * they send is limited by their own agents. Engine thread only.
 */
final class DownstreamPorts {
  private final MicroFlowContext context;
  private final PortAgents agents;
  private final PortEstimates estimates;

  DownstreamPorts(MicroFlowContext context, PortAgents agents, PortEstimates estimates) {
    this.context = context;
    this.agents = agents;
    this.estimates = estimates;
  }

  /** Grows whenever {@link #ports} may answer otherwise. */
  long epoch() {
    return context.platform.topology().epoch().get()
        + context.platform.switches().epoch().get()
        + context.capacities.epoch().get()
        + context.authority.epoch()
        + agents.version()
        + estimates.version();
  }

  /**
   * All of them, as far as this node has something to do there: its switch's master sends caps to
   * port agents, the master of a switch upstream has that one's meters cap.
   */
  Map<PortId, DownstreamPort> ports() {
    Map<String, List<PortId>> upstream = new HashMap<>();
    Map<PortId, PortId> peers = context.platform.topology().peers();
    peers.forEach(
        (port, peer) ->
            upstream.computeIfAbsent(peer.datapath(), d -> new ArrayList<>()).add(port));
    Map<PortId, DownstreamPort> found = new TreeMap<>();
    for (KeptQueue queue : agents.all()) {
      if (queue.hasLevels()) {
        port(queue.port, queue.bufferPackets(), upstream, peers)
            .ifPresent(port -> found.put(port.id(), port));
      }
    }
    for (EstimatedQueue queue : estimates.all()) {
      port(queue.port, Integer.MAX_VALUE, upstream, peers)
          .ifPresent(port -> found.put(port.id(), port));
    }
    return found;
  }

  private Optional<DownstreamPort> port(
      PortId id, int buffer, Map<String, List<PortId>> upstream, Map<PortId, PortId> peers) {
    Optional<Capacity> capacity = context.capacities.capacity(id);
    List<DownstreamPort.Upstream> feeding = new ArrayList<>();
    for (PortId port : upstream.getOrDefault(id.datapath(), List.of())) {
      if (!peers.get(port).equals(id)) {
        upstreamPort(port).ifPresent(feeding::add);
      }
    }
    if (capacity.isEmpty() || !concerns(id, feeding)) {
      return Optional.empty();
    }
    int ports = Math.max(1, context.platform.switches().ports(id.datapath()).size());
    return Optional.of(
        DownstreamPort.of(id, capacity.get().bitsPerSecond(), buffer, ports, feeding));
  }

  private Optional<DownstreamPort.Upstream> upstreamPort(PortId port) {
    int buffer = agents.find(port).map(KeptQueue::bufferPackets).orElse(Integer.MAX_VALUE);
    return context
        .capacities
        .capacity(port)
        .map(capacity -> DownstreamPort.Upstream.of(port, capacity.bitsPerSecond(), buffer));
  }

  private boolean concerns(PortId port, List<DownstreamPort.Upstream> feeding) {
    return context.authority.decidesAbout(port)
        || feeding.stream().anyMatch(f -> context.authority.decidesAbout(f.port()));
  }
}

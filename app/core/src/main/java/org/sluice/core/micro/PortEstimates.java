// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.registry.Capacities.Capacity;
import org.sluice.engine.law.MicroFlowLaw;
import org.sluice.engine.law.MicroFlowParameters;
import org.sluice.engine.path.Path;

/**
 * Queues of ports that no agent keeps, of switches that this node reads by fast counters, as far as
 * the estimate is off by less than TH: the path of each pair is requested in each report for them.
 * Engine thread only.
 */
final class PortEstimates {
  /** Fast counters read every port at least as often that has traffic. */
  private static final long FAST_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

  private static final long FORGOTTEN_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final int ETHERNET_BYTES = 14;

  private final MicroFlowContext context;
  private final PortAgents agents;
  private final MicroFlowParameters law;
  private final long reportNanos;
  private final TreeMap<PortId, EstimatedQueue> queues = new TreeMap<>();

  /** Ports of which an estimate says too little, as of an epoch of switches and capacities. */
  private final Set<PortId> tooCoarse = new HashSet<>();

  private long portsEpoch;
  private long version;

  /**
   * Knows of none yet.
   *
   * @param reportNanos how often hosts report
   */
  PortEstimates(
      MicroFlowContext context, PortAgents agents, MicroFlowParameters law, long reportNanos) {
    this.context = context;
    this.agents = agents;
    this.law = law;
    this.reportNanos = reportNanos;
  }

  /** A port's counter was read. */
  void counted(PortSample sample, long receivedNanos) {
    EstimatedQueue queue = queues.get(sample.port());
    if (queue == null) {
      queue = begin(sample);
    }
    if (queue != null) {
      queue.read(sample, receivedNanos);
    }
  }

  private EstimatedQueue begin(PortSample sample) {
    PortId port = sample.port();
    Optional<Capacity> capacity = context.capacities.capacity(port);
    if (sample.intervalNanos() > FAST_NANOS
        || capacity.isEmpty()
        || tooCoarse.contains(port)
        || agents.find(port).isPresent()) {
      return null;
    }
    EstimatedQueue queue = new EstimatedQueue(port, capacity.get().bitsPerSecond(), reportNanos);
    if (queue.errorPackets() >= thresholdPackets(queue)) {
      tooCoarse.add(port);
      return null;
    }
    queues.put(port, queue);
    version++;
    return queue;
  }

  private int thresholdPackets(EstimatedQueue queue) {
    int capacity =
        MicroFlowLaw.capacityPackets(
            queue.capacityBitsPerSecond,
            law.roundTripNanos(),
            law.packetBytes(),
            Integer.MAX_VALUE);
    int ports = context.platform.switches().ports(queue.port.datapath()).size();
    return MicroFlowLaw.thresholdPackets(capacity, Math.max(1, ports));
  }

  /** A host has sent. */
  void sent(HostObservation observation) {
    if (queues.isEmpty()) {
      return;
    }
    for (PairSample pair : observation.pairs()) {
      Optional<ReportedEndpoint> source =
          pair.sentBytes() > 0 ? context.endpoints.holder(pair.source()) : Optional.empty();
      if (source.isPresent() && isOf(observation.host(), source.get())) {
        double bytes = pair.sentBytes() + (double) ETHERNET_BYTES * pair.sentPackets();
        context
            .paths
            .path(source.get().id(), pair.destination())
            .ifPresent(path -> arrived(path, bytes, false));
      }
    }
  }

  private static boolean isOf(HostId host, ReportedEndpoint endpoint) {
    return endpoint.id().host().equals(host);
  }

  /** A background flow has sent so much more, IP bytes. */
  void sentByBackground(Path path, long bytes) {
    double frames =
        (double) EstimatedQueue.FRAME_BYTES / (EstimatedQueue.FRAME_BYTES - ETHERNET_BYTES);
    arrived(path, bytes * frames, true);
  }

  private void arrived(Path path, double bytes, boolean isBackground) {
    for (Path.Hop hop : path.hops()) {
      EstimatedQueue queue = queues.get(hop.port());
      if (queue != null && isBackground) {
        queue.estimate.arrivedOfBackground(bytes * hop.fraction());
      } else if (queue != null) {
        queue.estimate.arrived(bytes * hop.fraction());
      }
    }
  }

  /** Forgets ports that are read no longer, have an agent, or another capacity. */
  void follow(long nowNanos) {
    long epoch = context.platform.switches().epoch().get() + context.capacities.epoch().get();
    boolean isOther = epoch != portsEpoch;
    if (isOther) {
      portsEpoch = epoch;
      tooCoarse.clear();
    }
    if (queues.values().removeIf(queue -> isOver(queue, isOther, nowNanos))) {
      version++;
    }
  }

  private boolean isOver(EstimatedQueue queue, boolean hasOtherPorts, long nowNanos) {
    return nowNanos - queue.readNanos() > FORGOTTEN_NANOS
        || hasOtherPorts && queue.errorPackets() >= thresholdPackets(queue)
        || agents.find(queue.port).isPresent()
        || context
            .capacities
            .capacity(queue.port)
            .filter(capacity -> capacity.bitsPerSecond() == queue.capacityBitsPerSecond)
            .isEmpty();
  }

  /** Grows whenever there are other ports. */
  long version() {
    return version;
  }

  /** By port. */
  Collection<EstimatedQueue> all() {
    return queues.values();
  }

  EstimatedQueue find(PortId port) {
    return queues.get(port);
  }
}

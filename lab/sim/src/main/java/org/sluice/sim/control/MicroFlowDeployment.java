// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.control;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.engine.collections.LongIntMap;
import org.sluice.sim.event.Event;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.queue.MicroFlowQueues;
import org.sluice.sim.shim.host.Addresses;

/**
 * Micro-flow on a network: a micro queue and background queues at each egress port, hosts that
 * report what flows have sent, and the engine's law behind control channels.
 */
public final class MicroFlowDeployment {
  private static final int PACKET_BYTES = 1500;

  private final Network network;
  private final MicroFlowSettings settings;
  private final Map<Port, MicroFlowQueues> queues = new LinkedHashMap<>();
  private final LongIntMap rules = new LongIntMap();
  private final MicroFlowController controller;

  private MicroFlowDeployment(
      Network network, MicroFlowSettings settings, ChannelParameters channel, long tickNanos) {
    this.network = network;
    this.settings = settings;
    for (Port port : network.ports()) {
      if (settings.hosts() || port.owner() instanceof Switch) {
        addQueues(port);
      }
    }
    controller =
        new MicroFlowController(network, new Addresses(network), settings, channel, queues, rules);
    if (settings.caps()) {
      controller.begin(settings, tickNanos);
    }
    for (Host host : network.hosts()) {
      ControlChannel up =
          ControlChannel.named("micro-flow reports " + host.name(), network, channel);
      network.scheduler().armIn(new Reporting(host, up), settings.reportNanos());
    }
  }

  /**
   * Gives the queues to a network that is complete, and without traffic.
   *
   * @param tickNanos how often the controller looks for caps that end, above 0
   */
  public static MicroFlowDeployment install(
      Network network, MicroFlowSettings settings, ChannelParameters channel, long tickNanos) {
    return new MicroFlowDeployment(network, settings, channel, tickNanos);
  }

  /** A background queue for each egress port of the switch that the port leads to. */
  private void addQueues(Port port) {
    int background = port.peer() instanceof Switch next ? next.ports().size() : 1;
    MicroFlowQueues added =
        new MicroFlowQueues(
            packet -> queueOf(packet, port),
            background,
            settings.buffer(),
            port.rateBitsPerSecond(),
            settings.priorityShare(),
            PACKET_BYTES);
    port.setQueue(added);
    queues.put(port, added);
  }

  private int queueOf(Packet packet, Port port) {
    if (rules.get(SentFlows.key(packet)) == LongIntMap.ABSENT) {
      return MicroFlowQueues.MICRO;
    }
    if (port.peer() instanceof Switch next) {
      Port beyond = next.egress(packet.destination, packet.flowHash);
      return beyond == null ? 0 : beyond.index();
    }
    return 0;
  }

  /** How often a micro queue was seen at TH or above. */
  public long hits() {
    return controller.hits();
  }

  /** Caps that were set or renewed. */
  public long caps() {
    return controller.caps();
  }

  /** Background flows that the controller knows. */
  public int backgroundFlows() {
    return controller.backgroundFlows();
  }

  /** Background queues that are capped now. */
  public int cappedQueues() {
    return queues.values().stream().mapToInt(MicroFlowQueues::capped).sum();
  }

  /** The queues of a port; null if it has none. */
  public MicroFlowQueues queues(Port port) {
    return queues.get(port);
  }

  /** A host's agent reports. */
  private final class Reporting extends Event {
    private final ControlChannel up;
    private final SentFlows flows;

    Reporting(Host host, ControlChannel up) {
      this.up = up;
      this.flows = new SentFlows(settings.backgroundBytes(), settings.idleNanos());
      host.nic().setObserver(flows);
    }

    @Override
    protected void fire() {
      List<SentFlows.Report> large = flows.large(network.scheduler().now());
      List<SentFlows.Report> ended = flows.ended();
      if (!large.isEmpty() || !ended.isEmpty()) {
        up.send(() -> controller.take(large, ended));
      }
      network.scheduler().armIn(this, settings.reportNanos());
    }
  }
}

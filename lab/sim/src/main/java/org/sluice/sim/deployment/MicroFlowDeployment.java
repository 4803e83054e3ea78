// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.engine.collections.LongIntMap;
import org.sluice.engine.law.MicroFlowParameters.Caps;
import org.sluice.sim.event.Event;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.platform.ChannelParameters;
import org.sluice.sim.platform.ControlChannel;
import org.sluice.sim.platform.ControlChannels;
import org.sluice.sim.queue.MicroFlowQueues;
import org.sluice.sim.shim.host.Addresses;

/**
 * Micro-flow on a network: a micro queue and background queues at each egress port, hosts that
 * report what flows have sent, and the engine's law behind control channels.
 */
public final class MicroFlowDeployment implements ControlTraffic {
  private static final int PACKET_BYTES = 1500;

  private final Network network;
  private final MicroFlowSettings settings;
  private final ControlChannels channels;
  private final Map<Port, MicroFlowQueues> queues = new LinkedHashMap<>();
  private final LongIntMap rules = new LongIntMap();
  private final Map<Host, SentFlows> agents = new LinkedHashMap<>();
  private final Map<Host, ControlChannel> down = new LinkedHashMap<>();
  private final MicroFlowController controller;
  private long[] levels;

  private MicroFlowDeployment(
      Network network, MicroFlowSettings settings, ChannelParameters channel, long tickNanos) {
    this.network = network;
    this.settings = settings;
    this.channels = new ControlChannels(network, channel);
    this.levels = settings.law().firstThresholdsBytes();
    for (Host host : network.hosts()) {
      long[] levels = settings.law().firstThresholdsBytes();
      agents.put(host, new SentFlows(settings.backgroundBytes(), settings.idleNanos(), levels));
      down.put(host, channels.open("micro-flow levels " + host.name()));
    }
    for (Port port : network.ports()) {
      if (settings.hosts() || port.owner() instanceof Switch) {
        addQueues(port);
      }
    }
    controller =
        new MicroFlowController(
            network, new Addresses(network), settings, channels, queues, rules, this::setLevels);
    controller.begin(settings, tickNanos);
    for (Host host : network.hosts()) {
      ControlChannel up = channels.open("micro-flow reports " + host.name());
      network.scheduler().armIn(new Reporting(host, up), settings.reportNanos());
    }
  }

  /**
   * Gives the queues to a network that is complete, and without traffic.
   *
   * @param tickNanos how often the controller searches for caps that end, above 0
   */
  public static MicroFlowDeployment install(
      Network network, MicroFlowSettings settings, ChannelParameters channel, long tickNanos) {
    return new MicroFlowDeployment(network, settings, channel, tickNanos);
  }

  /**
   * A background queue for each egress port of the switch that the port leads to. Where nothing is
   * capped, and a level says all, one is enough.
   */
  private void addQueues(Port port) {
    boolean isSplit = settings.levels() == 0 || settings.caps() != Caps.NONE;
    int background = isSplit && port.peer() instanceof Switch next ? next.ports().size() : 1;
    boolean isHosts = port.owner() instanceof Host;
    MicroFlowQueues.Limits limits =
        new MicroFlowQueues.Limits(
            Math.max(1, settings.levels() - 1),
            isHosts ? settings.hostBuffer() : settings.buffer(),
            background,
            isHosts ? settings.hostBackgroundBuffer() : settings.buffer(),
            isHosts ? MicroFlowQueues.Limits.UNLIMITED : limit(settings.portBuffer()),
            isHosts ? MicroFlowQueues.Limits.UNLIMITED : limit(settings.markAt()));
    MicroFlowQueues added =
        new MicroFlowQueues(
            packet -> queueOf(packet, port, isSplit),
            limits,
            port.rateBitsPerSecond(),
            settings.priorityShare(),
            PACKET_BYTES);
    port.setQueue(added);
    queues.put(port, added);
  }

  private static int limit(int packets) {
    return packets == 0 ? MicroFlowQueues.Limits.UNLIMITED : packets;
  }

  private int queueOf(Packet packet, Port port, boolean isSplit) {
    if (settings.levels() == 0) {
      boolean isMicro = rules.get(SentFlows.key(packet)) == LongIntMap.ABSENT;
      return isMicro ? MicroFlowQueues.MICRO : backgroundQueue(packet, port);
    }
    if (port.owner() instanceof Host host) {
      packet.level = (byte) agents.get(host).level(packet);
    }
    if (packet.level < settings.levels() - 1) {
      return MicroFlowQueues.MICRO - packet.level;
    }
    return isSplit ? backgroundQueue(packet, port) : 0;
  }

  private static int backgroundQueue(Packet packet, Port port) {
    if (port.peer() instanceof Switch next) {
      Port beyond = next.egress(packet.destination, packet.flowHash);
      return beyond == null ? 0 : beyond.index();
    }
    return 0;
  }

  private void setLevels(long[] thresholdsBytes) {
    levels = thresholdsBytes;
    agents.forEach((host, agent) -> down.get(host).send(() -> agent.setLevels(thresholdsBytes)));
  }

  /** A rule counts once, however many switches take it. */
  @Override
  public long controllerMessages() {
    return channels.sent();
  }

  @Override
  public long hostMessages() {
    return 0;
  }

  /** The sizes at which flows change their level, as last tuned, bytes. */
  public long[] levels() {
    return levels.clone();
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

  /** A host's agent reports. */
  private final class Reporting extends Event {
    private final ControlChannel up;
    private final SentFlows flows;

    Reporting(Host host, ControlChannel up) {
      this.up = up;
      this.flows = agents.get(host);
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

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.Loss;
import org.sluice.api.link.LossReport;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.sim.event.Event;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.platform.ControlChannel;
import org.sluice.sim.platform.ControlChannels;
import org.sluice.sim.shim.host.Addresses;
import org.sluice.sim.transport.TcpFlow;

/**
 * SED on a network: a shim on each host, watched queues, and the engine behind control channels.
 */
public final class SedDeployment implements ControlTraffic {
  private final Network network;
  private final SedParameters parameters;
  private final ControlChannels channels;
  private final Addresses addresses;
  private final SedController controller;
  private final Map<Host, SedLink> links = new LinkedHashMap<>();
  private final Map<TcpFlow, FlowKey> registered = new HashMap<>();

  private SedDeployment(Network network, SedParameters parameters) {
    this.network = network;
    this.parameters = parameters;
    this.channels = new ControlChannels(network, parameters.channel());
    this.addresses = new Addresses(network);
    this.controller = new SedController(network, addresses, parameters);
    for (Host host : network.hosts()) {
      SedLink link =
          new SedLink(network, host, addresses, controller, parameters.settings(), channels);
      link.shim().install();
      links.put(host, link);
      controller.connect(host, link);
    }
    for (Switch s : network.switches()) {
      ControlChannel up = channels.open("sed switch " + s.name());
      network.scheduler().armIn(new Watch(s, up), parameters.watchNanos());
      if (parameters.settings().answersLosses()) {
        bufferDrops(s, up);
      }
    }
  }

  /** RSED: what the queues of a switch drop is reported, and kept. */
  private void bufferDrops(Switch owner, ControlChannel up) {
    ControlChannel down = channels.open("sed down switch " + owner.name());
    HostId agent = agent(owner);
    for (Port port : owner.ports()) {
      PortId id = controller.id(port);
      DroppedPacketBuffer buffer =
          new DroppedPacketBuffer(
              network, port, id, addresses, loss -> up.send(() -> lost(agent, loss)));
      controller.add(id, name -> down.send(() -> buffer.resend(name)));
    }
  }

  private void lost(HostId agent, Loss loss) {
    controller.lost(LossReport.of(agent, network.scheduler().now(), List.of(loss)));
  }

  private static HostId agent(Switch owner) {
    return HostId.of("queues-of-" + owner.name());
  }

  /** Puts shims on all hosts of a network that is complete, and without traffic. */
  public static SedDeployment install(Network network, SedParameters parameters) {
    return new SedDeployment(network, parameters);
  }

  /**
   * Registers the next connection of a flow as it is opened.
   *
   * @param atNanos when its application requests the deadline: not after the flow starts
   * @param beginsNanos when it says that the flow starts
   * @param deadlineNanos when all of its bytes are to have arrived
   */
  public void register(TcpFlow flow, long atNanos, long beginsNanos, long deadlineNanos) {
    FlowKey key = key(flow);
    registered.put(flow, key);
    Event request =
        Event.running(
            () ->
                links
                    .get(flow.source().host())
                    .register(key, flow.bytes(), beginsNanos, deadlineNanos));
    network.scheduler().arm(request, atNanos);
  }

  private FlowKey key(TcpFlow flow) {
    return FlowKey.of(
        addresses.ip(flow.source().number()),
        flow.sourcePort(),
        addresses.ip(flow.destination().number()),
        flow.nextDestinationPort());
  }

  /** Whether the deadline that was requested last for a flow was promised. */
  public boolean isPromised(TcpFlow flow) {
    return registered.containsKey(flow) && controller.isPromised(registered.get(flow));
  }

  @Override
  public long controllerMessages() {
    return channels.sent();
  }

  @Override
  public long hostMessages() {
    return 0;
  }

  /** Packets that queues have dropped, and that were reported to the controller. */
  public long losses() {
    return controller.losses();
  }

  /**
   * A switch evaluates its queues, and reports those that count as long or were so before; at first
   * all, with the space that each has.
   */
  private final class Watch extends Event {
    private final Switch watched;
    private final ControlChannel up;
    private final Map<Port, Boolean> wasLong = new HashMap<>();
    private final Map<Port, Long> dropped = new HashMap<>();

    Watch(Switch watched, ControlChannel up) {
      this.watched = watched;
      this.up = up;
    }

    @Override
    protected void fire() {
      List<PortQueueSample> samples = new ArrayList<>(0);
      for (Port port : watched.ports()) {
        update(port, samples);
      }
      if (!samples.isEmpty()) {
        up.send(() -> controller.queued(observation(samples)));
      }
      network.scheduler().armIn(this, parameters.watchNanos());
    }

    private PortQueueObservation observation(List<PortQueueSample> samples) {
      long received = network.scheduler().now();
      return PortQueueObservation.of(agent(watched), received, parameters.watchNanos(), samples);
    }

    private void update(Port port, List<PortQueueSample> samples) {
      long backlog = port.queue().bytes();
      boolean isLong = backlog >= parameters.thresholdBytes() / 2;
      Boolean was = wasLong.put(port, isLong);
      if (isLong || was == null || was) {
        long all = port.queue().dropped();
        Long before = dropped.put(port, all);
        long fresh = before == null ? all : all - before;
        PortId id = controller.id(port);
        int packets = port.queue().packets();
        samples.add(
            PortQueueSample.of(id, 0, 0, 0, 0, fresh, packets, backlog)
                .with(port.queue().limitPackets(), List.of(), List.of()));
      }
    }
  }
}

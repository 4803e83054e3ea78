// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.sluice.sim.event.Event;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.platform.ChannelParameters;
import org.sluice.sim.platform.ControlChannel;
import org.sluice.sim.platform.ControlChannels;
import org.sluice.sim.transport.FDctcp;
import org.sluice.sim.transport.TcpFlow;

/**
 * F-DCTCP's controller, by our reading: it polls each switch for its queues, and where one is long
 * it sends the senders of all flows through the port what an equal part of the port is. It knows
 * which flows are open, as the controller of reactive forwarding does.
 */
public final class FDctcpDeployment implements ControlTraffic {
  private final Network network;
  private final FDctcpSettings settings;
  private final ControlChannels channels;
  private final Supplier<List<TcpFlow>> flows;
  private final Map<Host, ControlChannel> hosts = new HashMap<>();
  private long notices;

  private FDctcpDeployment(
      Network network,
      FDctcpSettings settings,
      ChannelParameters channel,
      Supplier<List<TcpFlow>> flows) {
    this.network = network;
    this.settings = settings;
    this.channels = new ControlChannels(network, channel);
    this.flows = flows;
    SplittableRandom random = network.random().stream("f-dctcp readings");
    for (Switch owner : network.switches()) {
      network.scheduler().armIn(new Reading(owner), random.nextLong(settings.periodNanos()));
    }
  }

  /**
   * Begins to watch all switches.
   *
   * @param flows all that there are at the moment, open or not
   */
  public static FDctcpDeployment install(
      Network network,
      FDctcpSettings settings,
      ChannelParameters channel,
      Supplier<List<TcpFlow>> flows) {
    return new FDctcpDeployment(network, settings, channel, flows);
  }

  @Override
  public long controllerMessages() {
    return channels.sent();
  }

  @Override
  public long hostMessages() {
    return 0;
  }

  /** How often a sender was sent its rate. */
  public long notices() {
    return notices;
  }

  private void congested(List<Port> ports) {
    Map<Port, List<TcpFlow>> through = new HashMap<>();
    ports.forEach(port -> through.put(port, new ArrayList<>()));
    for (TcpFlow flow : flows.get()) {
      if (!flow.isClosed()) {
        addTo(through, flow);
      }
    }
    // Ports in their own order: a map's would differ from run to run.
    for (Port port : ports) {
      List<TcpFlow> sharing = through.get(port);
      double fair = (double) port.rateBitsPerSecond() / Math.max(1, sharing.size());
      sharing.forEach(flow -> notify(flow, fair));
    }
  }

  private static void addTo(Map<Port, List<TcpFlow>> through, TcpFlow flow) {
    Port at = flow.source().host().nic();
    while (at != null && at.peer() instanceof Switch next) {
      at = next.egress(flow.destination().number(), flow.flowHash());
      List<TcpFlow> sharing = through.get(at);
      if (sharing != null) {
        sharing.add(flow);
      }
    }
  }

  private void notify(TcpFlow flow, double fairBitsPerSecond) {
    if (!(flow.congestionControl() instanceof FDctcp sender)) {
      return;
    }
    Host host = flow.source().host();
    notices++;
    hosts
        .computeIfAbsent(host, none -> channels.open("f-dctcp host " + host.name()))
        .send(() -> sender.notified(fairBitsPerSecond));
  }

  /** A switch is polled for its long queues, and answers. */
  private final class Reading extends Event {
    private final Switch owner;
    private final ControlChannel down;
    private final ControlChannel up;

    Reading(Switch owner) {
      this.owner = owner;
      this.down = channels.open("f-dctcp down " + owner.name());
      this.up = channels.open("f-dctcp up " + owner.name());
    }

    @Override
    protected void fire() {
      down.send(this::answer);
      network.scheduler().armIn(this, settings.periodNanos());
    }

    private void answer() {
      List<Port> busy =
          owner.ports().stream()
              .filter(port -> port.queue().packets() >= settings.watchPackets())
              .toList();
      if (!busy.isEmpty()) {
        up.send(() -> congested(busy));
      }
    }
  }
}

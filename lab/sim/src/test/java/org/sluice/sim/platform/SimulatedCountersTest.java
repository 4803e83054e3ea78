// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import org.sluice.core.spi.PlatformCounters;
import org.sluice.core.testing.CountersConformance;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Switch;
import org.sluice.sim.queue.DropTail;
import org.sluice.sim.transport.SendingPattern;
import org.sluice.sim.transport.UdpFlow;

class SimulatedCountersTest extends CountersConformance {
  private static final long SECOND = 1_000_000_000;
  private static final long PERIOD_NANOS = 5 * SECOND;
  private static final int PACKET_BYTES = 1500;
  private static final long PACKET_NANOS = 10_000_000;
  private static final long RATE = 8L * PACKET_BYTES * SECOND / PACKET_NANOS;

  private final Scheduler scheduler = new Scheduler();
  private final Network network = new Network(scheduler, new RandomStreams(1));
  private final SimulatedCounters counters;
  private int flows;

  SimulatedCountersTest() {
    LinkParameters parameters = new LinkParameters(SECOND, 1000, 0);
    for (String name : new String[] {"s1", "s2"}) {
      Switch made = network.addSwitch(name);
      for (String end : new String[] {"receiver", "sender"}) {
        Host host = network.addHost(name + end);
        network.addEndpoint(host.name(), host);
        network.connect(made, host, parameters, new DropTail(9), new DropTail(9));
      }
    }
    network.computeRoutes();
    counters =
        new SimulatedCounters(
            scheduler,
            new SwitchNames(network),
            new ControlChannels(network, new ChannelParameters(1000, 0, 0)));
  }

  @Override
  protected PlatformCounters counters() {
    return counters;
  }

  @Override
  protected void receive(String name, int packets) {
    UdpFlow flow =
        new UdpFlow(
            network,
            "flow " + flows++,
            network.endpoint(name + "sender"),
            network.endpoint(name + "receiver"),
            RATE,
            PACKET_BYTES,
            SendingPattern.CONSTANT);
    if (packets > 0) {
      flow.start(scheduler.now());
      flow.stop(scheduler.now() + packets * PACKET_NANOS);
    }
  }

  @Override
  protected void read() {
    scheduler.runUntil(scheduler.now() + PERIOD_NANOS);
  }
}

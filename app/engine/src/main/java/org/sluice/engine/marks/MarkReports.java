// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.marks;

import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.Links;

/** What switches, port agents and receiving hosts have reported of marks and packets, by port. */
public final class MarkReports {
  private final Links links;
  public final MarkMeters meters;
  public final PacketRates rates;
  public final PortQueues queues;
  final HostMarks hosts;

  public MarkReports(EngineState world) {
    this.links = world.links;
    this.meters = new MarkMeters(world.ports, world.counters);
    this.rates = new PacketRates(world.ports, world.counters);
    this.queues = new PortQueues(world.ports, world.counters);
    this.hosts = new HostMarks(world.ports);
  }

  /** Makes room, in what is kept by port, for those that have come. */
  public void followPorts() {
    links.follow();
    meters.follow();
    rates.follow();
    queues.follow();
    hosts.follow();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.marks;

import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.Links;

/** What switches, port agents and receiving hosts have reported of marks and packets, by port. */
public final class MarkReports {
  private final Links links;
  public final MarkMeters meters;
  public final PacketRates rates;
  public final PortQueueMarks queues;
  final HostMarks hosts;

  public MarkReports(EngineState state) {
    this.links = state.links;
    this.meters = new MarkMeters(state.ports, state.counters);
    this.rates = new PacketRates(state.ports, state.counters);
    this.queues = new PortQueueMarks(state.ports, state.counters);
    this.hosts = new HostMarks(state.ports);
  }

  /** Makes space, in what is kept by port, for those that have come. */
  public void followPorts() {
    links.follow();
    meters.follow();
    rates.follow();
    queues.follow();
    hosts.follow();
  }
}

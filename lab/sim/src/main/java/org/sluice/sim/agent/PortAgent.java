// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.agent;

import java.util.List;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.link.HostHello;
import org.sluice.sim.network.Switch;
import org.sluice.sim.platform.AgentLinks;
import org.sluice.sim.platform.SwitchNames;

/** The port agent of one switch, with what it does for each system. */
public final class PortAgent extends ComposedAgent {
  private final Switch watched;
  private final SwitchNames names;

  public PortAgent(Switch watched, SwitchNames names, AgentLinks links) {
    super(id(watched), links);
    this.watched = watched;
    this.names = names;
  }

  /** The controller's name of a switch's port agent. */
  static HostId id(Switch watched) {
    return HostId.of("queues-of-" + watched.name());
  }

  @Override
  public HostHello hello() {
    List<PortId> ports = watched.ports().stream().map(names::id).toList();
    return HostHello.ofPortAgent(id(watched), "simulated", List.of(), ports);
  }
}

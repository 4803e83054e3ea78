// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.agent;

import java.util.ArrayList;
import java.util.List;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.HostHello;
import org.sluice.sim.network.Switch;
import org.sluice.sim.platform.Agent;
import org.sluice.sim.platform.AgentConnection;
import org.sluice.sim.platform.AgentLinks;
import org.sluice.sim.platform.SwitchNames;

/** The port agent of one switch, with what it does for each system. */
public final class PortAgent implements Agent {
  private final Switch watched;
  private final SwitchNames names;
  private final AgentConnection connection;
  private final List<AgentFunction> functions = new ArrayList<>();

  public PortAgent(Switch watched, SwitchNames names, AgentLinks links) {
    this.watched = watched;
    this.names = names;
    this.connection = links.add(id(watched), this);
  }

  /** The controller's name of a switch's port agent. */
  static HostId id(Switch watched) {
    return HostId.of("queues-of-" + watched.name());
  }

  /** Gives it something to do, before the controller starts. */
  public void add(AgentFunction function) {
    functions.add(function);
  }

  public AgentConnection connection() {
    return connection;
  }

  @Override
  public HostHello hello() {
    List<PortId> ports = watched.ports().stream().map(names::id).toList();
    return HostHello.ofPortAgent(id(watched), "simulated", List.of(), ports);
  }

  @Override
  public void sessionBegan() {
    functions.forEach(AgentFunction::sessionBegan);
  }

  @Override
  public void sessionEnded() {
    functions.forEach(AgentFunction::sessionEnded);
  }

  @Override
  public void received(DownlinkMessage message) {
    functions.forEach(function -> function.received(message));
  }
}

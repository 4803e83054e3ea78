// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.agent;

import java.util.ArrayList;
import java.util.List;
import org.sluice.api.HostId;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.sim.platform.Agent;
import org.sluice.sim.platform.AgentConnection;
import org.sluice.sim.platform.AgentLinks;

/** An agent, with a function for each system that it works for. */
abstract class ComposedAgent implements Agent {
  private final AgentConnection connection;
  private final List<AgentFunction> functions = new ArrayList<>();

  ComposedAgent(HostId id, AgentLinks links) {
    this.connection = links.add(id, this);
  }

  /** Gives it something to do, before the controller starts. */
  public final void add(AgentFunction function) {
    functions.add(function);
  }

  public final AgentConnection connection() {
    return connection;
  }

  /** In the order in which they were added. */
  final List<AgentFunction> functions() {
    return functions;
  }

  @Override
  public final void sessionBegan() {
    functions.forEach(AgentFunction::sessionBegan);
  }

  @Override
  public final void sessionEnded() {
    functions.forEach(AgentFunction::sessionEnded);
  }

  @Override
  public final void received(DownlinkMessage message) {
    functions.forEach(function -> function.received(message));
  }
}

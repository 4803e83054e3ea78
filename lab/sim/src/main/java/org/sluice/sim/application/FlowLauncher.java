// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.application;

import java.util.ArrayList;
import java.util.List;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Network;
import org.sluice.sim.transport.TcpFlow;
import org.sluice.sim.transport.TcpParameters;

/**
 * Starts flows and logs their ends. A flow that has closed serves again, between whatever
 * endpoints: there are as many as were ever open at once, not as many as have come.
 */
public final class FlowLauncher {
  private final Network network;
  private final String name;
  private final TcpParameters parameters;
  private final FlowLog log = new FlowLog();
  private final List<TcpFlow> made = new ArrayList<>();
  private final List<TcpFlow> idle = new ArrayList<>();
  private long launched;

  /**
   * @param name not another's: its flows are named by it
   */
  public FlowLauncher(Network network, String name, TcpParameters parameters) {
    this.network = network;
    this.name = name;
    this.parameters = parameters;
  }

  /** Opens a connection now, for so many bytes, at least 1. */
  public void launch(Endpoint from, Endpoint to, long bytes) {
    launched++;
    TcpFlow flow = idle.isEmpty() ? make(from, to) : idle.remove(idle.size() - 1);
    flow.start(network.scheduler().now(), from, to, bytes);
  }

  private TcpFlow make(Endpoint from, Endpoint to) {
    TcpFlow flow = new TcpFlow(network, name + "#" + made.size(), from, to, parameters, 0);
    flow.onClosed(
        () -> {
          log.add(
              flow.source(),
              flow.destination(),
              flow.bytes(),
              flow.statistics().startNanos(),
              flow.statistics().completionNanos() - flow.statistics().startNanos());
          idle.add(flow);
        });
    made.add(flow);
    return flow;
  }

  /** The flows that have ended. */
  public FlowLog log() {
    return log;
  }

  /** How many were started. */
  public long launched() {
    return launched;
  }

  /** How many are open. */
  public int open() {
    return made.size() - idle.size();
  }

  /** All flow objects, for their statistics: each has served many times. */
  public List<TcpFlow> flows() {
    return List.copyOf(made);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.sluice.agentlink.HostAccess;
import org.sluice.api.HostId;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.AgentLinkListener;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.UplinkMessage;
import org.sluice.core.link.LinkServer;
import org.sluice.core.setting.Parameters;
import org.sluice.sim.event.Event;
import org.sluice.sim.event.Scheduler;

/**
 * The agents' connections to a controller node, over control channels. What the node sends at one
 * moment leaves in the order of the agents, whatever the order in which it was sent.
 */
public final class AgentLinks implements LinkServer.Factory {
  private final Scheduler scheduler;
  private final ControlChannels channels;
  private final Map<HostId, AgentConnection> connections = new LinkedHashMap<>();
  private Server server;

  public AgentLinks(Scheduler scheduler, ControlChannels channels) {
    this.scheduler = scheduler;
    this.channels = channels;
  }

  /**
   * Adds an agent, before the controller starts.
   *
   * @param host whose
   */
  public AgentConnection add(HostId host, Agent agent) {
    AgentConnection connection =
        new AgentConnection(
            this, host, agent, channels.open("up " + host), channels.open("down " + host));
    connections.put(host, connection);
    return connection;
  }

  @Override
  public boolean needsFiles() {
    return false;
  }

  @Override
  public LinkServer start(Parameters parameters) {
    server = new Server();
    connections.values().forEach(AgentConnection::begin);
    return server;
  }

  /** An agent says hello, if there is a controller. */
  void begin(AgentConnection connection) {
    if (server != null) {
      connection.begin();
    }
  }

  /**
   * Cuts the node off from agents and switches for a time. Sessions that are silent for a lease end
   * at both ends, and begin anew when it is over.
   */
  public void cutOff(Outage outage, long leaseNanos) {
    channels.add(outage);
    if (outage.toNanos() - outage.fromNanos() <= leaseNanos) {
      return;
    }
    at(outage.fromNanos() + leaseNanos, AgentConnection::timedOut);
    if (outage.toNanos() != Outage.FOR_EVER) {
      at(outage.toNanos(), this::begin);
    }
  }

  private void at(long nanos, Consumer<AgentConnection> change) {
    scheduler.arm(Event.running(() -> connections.values().forEach(change)), nanos);
  }

  long now() {
    return scheduler.now();
  }

  /**
   * Whether the simulation begins now. Who is there then has been there for long: agents are
   * connected, and know what their endpoints are due, without a message's delay.
   */
  boolean isBeginning() {
    return scheduler.now() == scheduler.beginNanos();
  }

  void received(UplinkMessage message) {
    if (server != null) {
      server.listeners.forEach(listener -> listener.received(message));
    }
  }

  private final class Server implements AgentLink, LinkServer {
    private final List<AgentLinkListener> listeners = new CopyOnWriteArrayList<>();
    private final Event departure =
        Event.running(() -> connections.values().forEach(AgentConnection::flush));

    @Override
    public AgentLink link() {
      return this;
    }

    @Override
    public void setAccess(HostAccess access) {
      // All agents of a simulation may connect.
    }

    @Override
    public void close() {
      server = null;
      scheduler.disarm(departure);
      connections.values().forEach(AgentConnection::end);
    }

    @Override
    public Set<HostId> connectedHosts() {
      Set<HostId> open = new TreeSet<>();
      connections.forEach(
          (host, connection) -> {
            if (connection.isOpen()) {
              open.add(host);
            }
          });
      return open;
    }

    @Override
    public void send(HostId host, long term, DownlinkMessage message) {
      AgentConnection connection = connections.get(host);
      if (connection != null && connection.isOpen()) {
        connection.post(message);
        if (!departure.isArmed()) {
          scheduler.arm(departure, scheduler.now());
        }
      }
    }

    @Override
    public void addListener(AgentLinkListener listener) {
      listeners.add(listener);
      for (AgentConnection connection : connections.values()) {
        if (connection.isOpen()) {
          listener.received(UplinkMessage.ofSessionOpened(connection.agent().hello()));
        }
      }
    }

    @Override
    public void removeListener(AgentLinkListener listener) {
      listeners.remove(listener);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.packet.PacketPool;
import org.sluice.sim.queue.QueueDiscipline;

/** Hosts, switches and links of one simulation, and the routes between them. */
public final class Network {
  private final Scheduler scheduler;
  private final PacketPool pool = new PacketPool();
  private final RandomStreams random;
  private final Map<String, Host> hosts = new LinkedHashMap<>();
  private final Map<String, Switch> switches = new LinkedHashMap<>();
  private final List<Endpoint> endpoints = new ArrayList<>();
  private final Map<String, Endpoint> endpointsByName = new LinkedHashMap<>();
  private final List<Port> ports = new ArrayList<>();
  private int flowNumbers;

  public Network(Scheduler scheduler, RandomStreams random) {
    this.scheduler = scheduler;
    this.random = random;
  }

  public Scheduler scheduler() {
    return scheduler;
  }

  public PacketPool pool() {
    return pool;
  }

  public RandomStreams random() {
    return random;
  }

  /** A number for a flow: each gets the next. */
  public int nextFlowNumber() {
    return flowNumbers++;
  }

  /**
   * @throws IllegalArgumentException if the name is taken
   */
  public Host addHost(String name) {
    requireFree(name);
    Host host = new Host(name, pool);
    hosts.put(name, host);
    return host;
  }

  /**
   * @throws IllegalArgumentException if the name is taken
   */
  public Switch addSwitch(String name) {
    requireFree(name);
    int salt = random.stream("switch " + name).nextInt();
    Switch added = new Switch(name, salt, scheduler, pool);
    switches.put(name, added);
    return added;
  }

  /**
   * Adds a virtual machine to a host. Routes are computed later, by {@link #computeRoutes}.
   *
   * @throws IllegalArgumentException if the name is taken by another endpoint
   */
  public Endpoint addEndpoint(String name, Host host) {
    Endpoint endpoint = new Endpoint(endpoints.size(), name, host);
    if (endpointsByName.putIfAbsent(name, endpoint) != null) {
      throw new IllegalArgumentException("there is an endpoint " + name + " already");
    }
    endpoints.add(endpoint);
    return endpoint;
  }

  /**
   * Links two nodes, in both directions.
   *
   * @throws IllegalStateException if one is a host that has its NIC already
   */
  public Link connect(
      Node a, Node b, LinkParameters link, QueueDiscipline queueAtA, QueueDiscipline queueAtB) {
    int portOfA = portCount(a);
    int portOfB = portCount(b);
    return new Link(
        addPort(new Port(a, portOfA, b, portOfB, scheduler, pool, link, queueAtA)),
        addPort(new Port(b, portOfB, a, portOfA, scheduler, pool, link, queueAtB)));
  }

  private Port addPort(Port port) {
    if (port.owner() instanceof Switch owner) {
      owner.add(port);
    } else {
      ((Host) port.owner()).setNic(port);
    }
    ports.add(port);
    return port;
  }

  private static int portCount(Node node) {
    return node instanceof Switch s ? s.ports().size() : 0;
  }

  /** Computes all shortest paths anew; links that are down take no part. */
  public void computeRoutes() {
    new Routes(this).compute();
  }

  public Host host(String name) {
    return hosts.get(name);
  }

  /** Null if there is none. */
  public Switch switchNamed(String name) {
    return switches.get(name);
  }

  /** Null if there is none. */
  public Endpoint endpoint(String name) {
    return endpointsByName.get(name);
  }

  public Endpoint endpoint(int number) {
    return endpoints.get(number);
  }

  public List<Host> hosts() {
    return List.copyOf(hosts.values());
  }

  public List<Switch> switches() {
    return List.copyOf(switches.values());
  }

  public List<Endpoint> endpoints() {
    return Collections.unmodifiableList(endpoints);
  }

  /** All egress ports, of switches and hosts. */
  public List<Port> ports() {
    return Collections.unmodifiableList(ports);
  }

  /** Packets that have started on any link so far: the measure of a simulator's work. */
  public long packetHops() {
    long hops = 0;
    for (Port port : ports) {
      hops += port.counters().sentPackets();
    }
    return hops;
  }

  private void requireFree(String name) {
    if (hosts.containsKey(name) || switches.containsKey(name)) {
      throw new IllegalArgumentException("there is a node " + name + " already");
    }
  }
}

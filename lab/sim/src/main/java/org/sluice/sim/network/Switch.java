// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;

/**
 * An output-queued switch: it looks the destination up, picks one of the equal ports by the flow's
 * hash, and lets the port do the rest. It counts CE per port that packets came in by, as a meter on
 * {@code in_port, ip_ecn=3} does.
 */
public final class Switch implements Node {
  private static final Port[] NOWHERE = {};

  private final String name;
  private final Scheduler scheduler;
  private final PacketPool pool;
  private final int salt;
  private final List<Port> ports = new ArrayList<>();
  private Port[][] routes = new Port[0][];
  private long[] ceReceived = new long[0];
  private Policer[] policers = new Policer[0];
  private Forwarder forwarder = (packet, inPort, nowNanos) -> route(packet);
  private long unroutable;

  Switch(String name, int salt, Scheduler scheduler, PacketPool pool) {
    this.name = name;
    this.salt = salt;
    this.scheduler = scheduler;
    this.pool = pool;
  }

  @Override
  public String name() {
    return name;
  }

  /** Its egress ports; a port's index is its place. */
  public List<Port> ports() {
    return Collections.unmodifiableList(ports);
  }

  void add(Port port) {
    ports.add(port);
    ceReceived = Arrays.copyOf(ceReceived, ports.size());
    policers = Arrays.copyOf(policers, ports.size());
  }

  void route(int endpoint, Port[] equalPorts) {
    if (endpoint >= routes.length) {
      int before = routes.length;
      routes = Arrays.copyOf(routes, Math.max(endpoint + 1, before * 2));
      Arrays.fill(routes, before, routes.length, NOWHERE);
    }
    routes[endpoint] = equalPorts;
  }

  /** Limits what comes in by a port; null lifts the limit. */
  public void setPolicer(int inPort, Policer policer) {
    policers[inPort] = policer;
  }

  /** Has somebody else decide where packets go; limits of ports hold beside that. */
  public void setForwarder(Forwarder value) {
    forwarder = value;
  }

  @Override
  public void receive(Packet packet, int inPort) {
    if (packet.ecn == Ecn.CE) {
      ceReceived[inPort]++;
    }
    Policer policer = policers[inPort];
    if (policer != null && !policer.admits(packet, scheduler.now())) {
      pool.giveBack(packet);
      return;
    }
    Port out = forwarder.egress(packet, inPort, scheduler.now());
    if (out == null) {
      unroutable++;
      pool.giveBack(packet);
      return;
    }
    out.send(packet);
  }

  private Port route(Packet packet) {
    return egress(packet.destination, packet.flowHash);
  }

  /** The port that a flow towards an endpoint leaves by; null if there is none. */
  public Port egress(int endpoint, int flowHash) {
    Port[] equal = endpoint < routes.length ? routes[endpoint] : NOWHERE;
    if (equal.length == 1) {
      return equal[0];
    }
    return equal.length == 0 ? null : equal[pick(flowHash, equal.length)];
  }

  /** All ports by which an endpoint can be reached on a shortest path. */
  public List<Port> egresses(int endpoint) {
    return List.of(endpoint < routes.length ? routes[endpoint] : NOWHERE);
  }

  /** Packets with CE that came in by a port. */
  public long ceReceived(int inPort) {
    return ceReceived[inPort];
  }

  /** Packets that no port leads on. */
  public long unroutable() {
    return unroutable;
  }

  /** Each switch has a salt of its own, else all would pick alike and half the paths stay idle. */
  public int pick(int flowHash, int choices) {
    int mixed = (flowHash ^ salt) * 0x9E3779B9;
    mixed ^= mixed >>> 15;
    mixed *= 0x85EBCA6B;
    mixed ^= mixed >>> 13;
    return (int) ((mixed & 0xFFFFFFFFL) * choices >>> 32);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.agent;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.sluice.api.PortId;
import org.sluice.api.link.Loss;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.PortObserver;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.Protocol;
import org.sluice.sim.shim.host.Addresses;

/**
 * What a port's queue had no space for: data is reported, kept for a while, and sent again on
 * request. What a meter drops never comes here.
 */
final class DroppedPacketBuffer implements PortObserver {
  private static final long KEPT_NANOS = 1_000_000_000L;

  private final Network network;
  private final Port port;
  private final PortId id;
  private final Addresses addresses;
  private final Consumer<Loss> reports;
  private final Map<Long, Packet> byName = new HashMap<>();
  private final Deque<Kept> inOrder = new ArrayDeque<>();
  private long names;
  private boolean reporting;

  private record Kept(long name, long sinceNanos) {}

  DroppedPacketBuffer(
      Network network, Port port, PortId id, Addresses addresses, Consumer<Loss> reports) {
    this.network = network;
    this.port = port;
    this.id = id;
    this.addresses = addresses;
    this.reports = reports;
    port.setObserver(this);
  }

  /** Whether it reports and keeps what comes from now on: not at first. */
  void setReporting(boolean value) {
    reporting = value;
  }

  @Override
  public void departed(Packet packet, long nowNanos) {
    // Only what stays behind matters.
  }

  @Override
  public void dropped(Packet packet, long nowNanos) {
    if (!reporting || packet.protocol != Protocol.TCP || packet.payloadBytes == 0) {
      return;
    }
    forget(nowNanos);
    Packet copy = network.pool().take();
    copy.copy(packet);
    byName.put(++names, copy);
    inOrder.add(new Kept(names, nowNanos));
    reports.accept(
        Loss.of(
            id, addresses.flow(packet), packet.sequence & 0xFFFFFFFFL, packet.payloadBytes, names));
  }

  private void forget(long nowNanos) {
    while (!inOrder.isEmpty() && nowNanos - inOrder.peek().sinceNanos() >= KEPT_NANOS) {
      Packet old = byName.remove(inOrder.remove().name());
      if (old != null) {
        network.pool().giveBack(old);
      }
    }
  }

  /** Sends a packet again, if it is still there; once again it may find no space. */
  void resend(long name) {
    forget(network.scheduler().now());
    Packet packet = byName.remove(name);
    if (packet != null) {
      port.send(packet);
    }
  }
}

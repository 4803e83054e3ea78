// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import org.sluice.sim.event.Event;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Network;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.Protocol;
import org.sluice.sim.packet.Receiver;

/** Packets at a constant rate, and who counts them. */
final class UdpSource extends Event implements Receiver {
  static final int IP_BYTES = 1500;

  private final Network network;
  private final Endpoint from;
  private final Endpoint to;
  private final long gapNanos;
  private final long stopNanos;
  private long receivedBytes;
  private long receivedPackets;

  UdpSource(Network network, Endpoint from, Endpoint to, long rate, long start, long stop) {
    this.network = network;
    this.from = from;
    this.to = to;
    this.gapNanos = IP_BYTES * 8_000_000_000L / rate;
    this.stopNanos = stop;
    network.scheduler().arm(this, start);
  }

  @Override
  protected void fire() {
    Packet packet = network.pool().take();
    packet.protocol = Protocol.UDP;
    packet.source = from.number();
    packet.destination = to.number();
    packet.flowHash = from.number() * 31 + to.number();
    packet.ipBytes = IP_BYTES;
    packet.receiver = this;
    from.host().send(packet);
    long next = network.scheduler().now() + gapNanos;
    if (next < stopNanos) {
      network.scheduler().arm(this, next);
    }
  }

  @Override
  public void receive(Packet packet) {
    receivedPackets++;
    receivedBytes += packet.ipBytes;
  }

  long receivedBytes() {
    return receivedBytes;
  }

  long receivedPackets() {
    return receivedPackets;
  }
}

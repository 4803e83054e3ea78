// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import org.sluice.sim.network.Endpoint;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;
import org.sluice.sim.packet.Receiver;

/** One direction of a flow: makes its packets and hands them to the sending host. */
final class Direction {
  private static final int GOLDEN = 0x9E3779B9;

  private final PacketPool pool;
  private Endpoint from;
  private int destination;
  private final byte protocol;
  private final int seed;
  private final Receiver receiver;
  private int flowHash;
  private int sourcePort;
  private int destinationPort;

  /**
   * @param seed which flow this is, for its hash
   */
  Direction(
      PacketPool pool, Endpoint from, Endpoint to, byte protocol, int seed, Receiver receiver) {
    this.pool = pool;
    this.protocol = protocol;
    this.seed = seed;
    this.receiver = receiver;
    connect(from, to);
    use(0);
  }

  /** Leads between other endpoints from here on. */
  void connect(Endpoint newFrom, Endpoint newTo) {
    from = newFrom;
    destination = newTo.number();
  }

  /** Another connection, as from another port: no two have the same hash. */
  void use(int connection) {
    int mixed = seed + connection * GOLDEN;
    mixed = (mixed ^ mixed >>> 16) * 0x85EBCA6B;
    mixed = (mixed ^ mixed >>> 13) * 0xC2B2AE35;
    flowHash = mixed ^ mixed >>> 16;
  }

  /** Goes between other ports from here on. */
  void between(int newSourcePort, int newDestinationPort) {
    sourcePort = newSourcePort;
    destinationPort = newDestinationPort;
  }

  int flowHash() {
    return flowHash;
  }

  /** Whether a packet belongs to the present connection, not to one before. */
  boolean owns(Packet packet) {
    return packet.flowHash == flowHash;
  }

  Packet packet(int headerBytes, int payloadBytes) {
    Packet packet = pool.take();
    packet.source = from.number();
    packet.destination = destination;
    packet.sourcePort = sourcePort;
    packet.destinationPort = destinationPort;
    packet.flowHash = flowHash;
    packet.protocol = protocol;
    packet.receiver = receiver;
    packet.ipBytes = headerBytes + payloadBytes;
    packet.payloadBytes = payloadBytes;
    return packet;
  }

  void send(Packet packet) {
    packet.originalEcn = packet.ecn;
    from.host().send(packet);
  }
}

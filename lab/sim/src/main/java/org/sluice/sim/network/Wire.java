// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

import org.sluice.sim.event.Event;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;

/**
 * Packets in transit to the far end, in order. However many there are, one event is armed: for the
 * first.
 */
final class Wire extends Event {
  private final Scheduler scheduler;
  private final PacketPool pool;
  private final Node peer;
  private final int peerPort;
  private final long delayNanos;

  private Packet[] packets = new Packet[16];
  private long[] arrivals = new long[16];
  private int head;
  private int count;

  Wire(Scheduler scheduler, PacketPool pool, Node peer, int peerPort, long delayNanos) {
    this.scheduler = scheduler;
    this.pool = pool;
    this.peer = peer;
    this.peerPort = peerPort;
    this.delayNanos = delayNanos;
  }

  Node peer() {
    return peer;
  }

  int peerPort() {
    return peerPort;
  }

  long delayNanos() {
    return delayNanos;
  }

  /** Takes a packet whose last bit leaves at a time that never goes back. */
  void carry(Packet packet, long departureNanos) {
    if (count == packets.length) {
      grow();
    }
    int tail = head + count & packets.length - 1;
    packets[tail] = packet;
    arrivals[tail] = departureNanos + delayNanos;
    if (count++ == 0) {
      scheduler.arm(this, arrivals[tail]);
    }
  }

  /** Loses all that is in transit. */
  void cut() {
    while (count > 0) {
      pool.giveBack(poll());
    }
    scheduler.disarm(this);
  }

  @Override
  protected void fire() {
    Packet packet = poll();
    if (count > 0) {
      scheduler.arm(this, arrivals[head]);
    }
    peer.receive(packet, peerPort);
  }

  private Packet poll() {
    Packet packet = packets[head];
    packets[head] = null;
    head = head + 1 & packets.length - 1;
    count--;
    return packet;
  }

  private void grow() {
    Packet[] largerPackets = new Packet[packets.length * 2];
    long[] largerArrivals = new long[packets.length * 2];
    for (int i = 0; i < count; i++) {
      int from = head + i & packets.length - 1;
      largerPackets[i] = packets[from];
      largerArrivals[i] = arrivals[from];
    }
    packets = largerPackets;
    arrivals = largerArrivals;
    head = 0;
  }
}

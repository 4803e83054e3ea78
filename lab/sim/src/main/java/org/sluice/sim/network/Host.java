// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;

/**
 * A hypervisor with one NIC: sockets above, a shim between them and the NIC where there is one.
 * What one of its endpoints sends to another of them does not meet the NIC.
 */
public final class Host implements Node {
  private final String name;
  private final PacketPool pool;
  private Port nic;
  private Shim shim;

  Host(String name, PacketPool pool) {
    this.name = name;
    this.pool = pool;
  }

  @Override
  public String name() {
    return name;
  }

  public Port nic() {
    return nic;
  }

  void setNic(Port value) {
    if (nic != null) {
      throw new IllegalStateException("host " + name + " has a NIC already");
    }
    nic = value;
  }

  /** Puts a shim between sockets and NIC; null takes it away. */
  public void setShim(Shim value) {
    shim = value;
  }

  /** A socket of one of its virtual machines sends. The packet is the network's from here on. */
  public void send(Packet packet) {
    if (shim == null || shim.outgoing(packet)) {
      nic.send(packet);
    }
  }

  @Override
  public void receive(Packet packet, int inPort) {
    if (shim == null || shim.incoming(packet)) {
      packet.receiver.receive(packet);
      pool.giveBack(packet);
    }
  }
}

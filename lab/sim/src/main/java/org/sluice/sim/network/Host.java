// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

import java.util.Arrays;
import java.util.BitSet;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;

/**
 * A hypervisor with one NIC: sockets above, shims between them and the NIC where there are any.
 * What one of its endpoints sends to another of them does not meet the NIC.
 */
public final class Host implements Node {
  private final String name;
  private final PacketPool pool;
  private Port nic;

  /** From the NIC up. */
  private Shim[] shims = {};

  /** By number: endpoints that have lived here, and live elsewhere. */
  private final BitSet gone = new BitSet();

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

  /** Whether shims stand between its endpoints and the NIC. */
  public boolean hasShim() {
    return shims.length > 0;
  }

  /** Puts a shim between its endpoints and the shims that there are, before any traffic. */
  public void addShim(Shim added) {
    shims = Arrays.copyOf(shims, shims.length + 1);
    shims[shims.length - 1] = added;
  }

  /** A socket of one of its virtual machines sends. The packet is the network's from here on. */
  public void send(Packet packet) {
    for (int i = shims.length - 1; i >= 0; i--) {
      if (!shims[i].outgoing(packet)) {
        return;
      }
    }
    nic.send(packet);
  }

  void left(Endpoint endpoint) {
    gone.set(endpoint.number());
  }

  void arrived(Endpoint endpoint) {
    gone.clear(endpoint.number());
  }

  @Override
  public void receive(Packet packet, int inPort) {
    if (gone.get(packet.destination)) {
      pool.giveBack(packet);
      return;
    }
    for (Shim shim : shims) {
      if (!shim.incoming(packet)) {
        return;
      }
    }
    packet.receiver.receive(packet);
    pool.giveBack(packet);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

import org.sluice.sim.packet.Packet;

/** What the hypervisor does to packets between virtual machines and the NIC. */
public interface Shim {
  /**
   * A virtual machine sends.
   *
   * @return true: to the NIC's queue with it; false: the shim has taken it, or given it back to the
   *     pool
   */
  boolean outgoing(Packet packet);

  /**
   * A packet has come in by the NIC.
   *
   * @return true: to its receiver with it; false: the shim has taken it, or given it back to the
   *     pool
   */
  boolean incoming(Packet packet);
}

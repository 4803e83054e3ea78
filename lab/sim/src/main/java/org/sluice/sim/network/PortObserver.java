// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

import org.sluice.sim.packet.Packet;

/** Watches what a port does with packets. */
public interface PortObserver {
  /** A packet starts on the wire; read only. */
  void departed(Packet packet, long nowNanos);

  /** The queue has no space for a packet; read only. */
  default void dropped(Packet packet, long nowNanos) {}
}

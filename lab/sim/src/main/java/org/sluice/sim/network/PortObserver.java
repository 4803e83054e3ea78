// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

import org.sluice.sim.packet.Packet;

/** Watches what a port does with packets. */
public interface PortObserver {
  /** A packet starts on the wire; look, but do not touch. */
  void departed(Packet packet, long nowNanos);

  /** The queue has no room for a packet; look, but do not touch. */
  default void dropped(Packet packet, long nowNanos) {}
}

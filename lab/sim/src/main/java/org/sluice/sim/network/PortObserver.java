// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

import org.sluice.sim.packet.Packet;

/** Watches what leaves a port. */
public interface PortObserver {
  /** A packet starts on the wire; look, but do not touch. */
  void departed(Packet packet, long nowNanos);
}

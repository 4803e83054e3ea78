// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

import org.sluice.sim.packet.Packet;

/** Drops packets as they come into a switch, or does not. */
public interface Policer {
  /** Whether a packet passes; read only. */
  boolean admits(Packet packet, long nowNanos);
}

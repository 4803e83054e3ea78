// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

import org.sluice.sim.packet.Packet;

/** Decides where a switch's packets go, in place of its routes. */
public interface Forwarder {
  /** The port that a packet leaves by; null: the switch drops it. Reads it only. */
  Port egress(Packet packet, int inPort, long nowNanos);
}

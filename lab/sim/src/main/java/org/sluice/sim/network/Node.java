// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

import org.sluice.sim.packet.Packet;

/** A host or a switch. */
public interface Node {
  String name();

  /**
   * A packet has arrived whole.
   *
   * @param inPort the index of this node's port that it came in by
   */
  void receive(Packet packet, int inPort);
}

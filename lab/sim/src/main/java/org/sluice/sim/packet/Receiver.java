// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.packet;

/** Takes packets at the end of their path. */
public interface Receiver {
  /** Called on arrival. The packet goes back to the pool afterwards: do not keep it. */
  void receive(Packet packet);
}

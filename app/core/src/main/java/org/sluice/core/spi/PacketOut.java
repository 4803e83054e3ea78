// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

import org.sluice.api.PortId;

/** Sends frames out of switch ports. */
public interface PacketOut {

  /**
   * Sends a frame out of a port of a switch whose master this node is.
   *
   * @param frame Ethernet, without frame check sequence
   * @throws RuntimeException if the platform refuses it
   */
  void emit(PortId port, byte[] frame);
}

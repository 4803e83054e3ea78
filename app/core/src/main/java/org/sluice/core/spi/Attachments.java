// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

import java.util.Optional;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;

/**
 * The attachment map, the same on every node of the cluster: behind which edge port an address is.
 */
public interface Attachments {

  /** Advances whenever an address was attached, moved or forgotten. */
  Epoch epoch();

  Optional<PortId> locate(IpAddress ip);

  /**
   * Takes over that a packet from this address was seen arriving at a port. Ignored where the port
   * leads to another switch.
   */
  void learn(IpAddress ip, PortId port);

  /** Forgets an address. */
  void forget(IpAddress ip);
}

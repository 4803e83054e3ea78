// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.topology;

import java.util.Map;
import java.util.Optional;
import org.onlab.packet.IpAddress;
import org.onosproject.net.ConnectPoint;
import org.sluice.core.spi.Epoch;

/** The attachment map: behind which edge port an address is. */
public interface Attachments {

  /** Advances whenever an address was attached, moved or forgotten. */
  Epoch epoch();

  Optional<ConnectPoint> locate(IpAddress ip);

  /** All of them, as they are now. */
  Map<IpAddress, ConnectPoint> all();

  /**
   * Takes over that a packet from this address was seen arriving at a port. Ignored where the port
   * leads to another switch.
   */
  void learn(IpAddress ip, ConnectPoint port);

  /** Forgets an address. */
  void forget(IpAddress ip);
}

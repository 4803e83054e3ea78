// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.topology;

import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.onlab.packet.IpAddress;
import org.onosproject.net.ConnectPoint;
import org.sluice.core.spi.Epoch;

/**
 * The attachment map: behind which edge port an address is. Link-local addresses have no place in
 * it: they mean another machine on each link. Addresses that no agent reports are limited per port.
 */
public interface Attachments {

  /** Advances whenever an address was attached, moved or forgotten. */
  Epoch epoch();

  Optional<ConnectPoint> locate(IpAddress ip);

  /** All of them, as they are now. */
  Map<IpAddress, ConnectPoint> all();

  /**
   * Takes over that a packet from this address was seen arriving at a port. Ignored where the port
   * leads to another switch, for addresses without a route, and beyond the port's limit.
   */
  void learn(IpAddress ip, ConnectPoint port);

  /** Forgets an address. */
  void forget(IpAddress ip);

  /** Which addresses agents report: they do not count towards a port's limit. */
  void follow(Predicate<IpAddress> reported);

  /** What the rule for an address has counted on the switch to which it is attached, packets. */
  void counted(IpAddress ip, long packets);

  /** For how long this node has neither seen an address nor counted packets for it. */
  long silentNanos(IpAddress ip);

  /** Addresses that were not attached because of the limit in the last ten minutes, by port. */
  Map<ConnectPoint, Long> refused();
}

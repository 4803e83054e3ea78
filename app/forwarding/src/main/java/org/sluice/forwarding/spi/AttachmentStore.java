// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.spi;

import java.util.Map;
import java.util.Optional;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.core.spi.Epoch;

/**
 * Where addresses are, kept in step over the cluster: what was written last wins everywhere,
 * whatever nodes' clocks say, and a node that is cut off goes on with what it knows. No call waits
 * for another node.
 */
public interface AttachmentStore {

  /** Advances after every change, whichever node made it. */
  Epoch epoch();

  Optional<PortId> get(IpAddress ip);

  /** All of them, as they are now. */
  Map<IpAddress, PortId> all();

  void put(IpAddress ip, PortId port);

  void remove(IpAddress ip);

  /** Removes an entry if it has this port. */
  void remove(IpAddress ip, PortId port);
}

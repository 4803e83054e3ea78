// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.counter;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.sluice.api.PortId;
import org.sluice.core.spi.Topology;

/** Which port of a neighbouring switch sends to a port. Thread-safe. */
final class Senders {
  private final Topology topology;
  private Map<PortId, PortId> senders = Map.of();
  private long epoch = -1;

  Senders(Topology topology) {
    this.topology = topology;
  }

  /** The port at the other end of the link by which packets arrive at this one. */
  synchronized Optional<PortId> to(PortId port) {
    long now = topology.epoch().get();
    if (now != epoch) {
      epoch = now;
      Map<PortId, PortId> found = new HashMap<>();
      topology.peers().forEach((from, to) -> found.put(to, from));
      senders = found;
    }
    return Optional.ofNullable(senders.get(port));
  }
}

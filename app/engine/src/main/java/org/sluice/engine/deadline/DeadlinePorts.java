// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.sluice.api.PortId;

/** The ports that are known, and which of them are congested. */
final class DeadlinePorts {
  private final Map<PortId, DeadlinePort> ports = new HashMap<>();
  private final List<DeadlinePort> congested = new ArrayList<>();

  /** The port of this id, or null. */
  DeadlinePort find(PortId id) {
    return ports.get(id);
  }

  DeadlinePort findOrAdd(PortId id) {
    return ports.computeIfAbsent(id, DeadlinePort::new);
  }

  Collection<DeadlinePort> all() {
    return ports.values();
  }

  /** Those of a path that are known. */
  DeadlinePort[] known(List<PortId> path) {
    return path.stream().map(ports::get).filter(Objects::nonNull).toArray(DeadlinePort[]::new);
  }

  /** The longest round trip of those through any of these ports, ns. */
  static long roundTripOf(DeadlinePort[] path) {
    double longest = 1;
    for (DeadlinePort port : path) {
      longest = Math.max(longest, port.roundTripNanos());
    }
    return Math.round(longest);
  }

  List<DeadlinePort> congested() {
    return congested;
  }

  void queue(DeadlinePort port, long backlogBytes, long nowNanos) {
    if (port.queue(backlogBytes, nowNanos)) {
      congested.add(port);
    }
  }

  /** First windows all come at once: with too many a port is congested before its queue is. */
  void checkBurst(GifRow begun, long nowNanos) {
    for (DeadlinePort port : begun.path) {
      if (!port.isCongested() && port.burst(nowNanos)) {
        congested.add(port);
      }
    }
  }

  /** Congestion begins at those where flows contend for more than there is. */
  void contend(DeadlinePort[] path, long nowNanos) {
    for (DeadlinePort port : path) {
      if (!port.isCongested() && port.contend(nowNanos)) {
        congested.add(port);
      }
    }
  }

  void govern(DeadlinePort port, boolean byThisNode) {
    if (port.govern(byThisNode)) {
      congested.remove(port);
    }
  }

  /** RTT_base of the congested ones: of others it is not read. */
  void measureRoundTrips(boolean latest) {
    for (int i = 0; i < congested.size(); i++) {
      congested.get(i).measureRoundTrip(latest);
    }
  }

  /** First windows are to be divided among those that have not begun. */
  void openFirst() {
    ports.values().forEach(DeadlinePort::openFirst);
  }

  /** Windows have been divided: what ports carry beside these counts. */
  void learnCarried(long nowNanos) {
    ports.values().forEach(port -> port.learnCarried(nowNanos));
  }

  void recover(long nowNanos) {
    for (int i = congested.size() - 1; i >= 0; i--) {
      if (congested.get(i).recover(nowNanos)) {
        congested.remove(i);
      }
    }
  }
}

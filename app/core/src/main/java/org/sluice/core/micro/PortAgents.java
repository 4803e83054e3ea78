// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import java.util.Collection;
import java.util.Optional;
import java.util.TreeMap;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;

/** The ports whose queues an agent keeps that is connected. Engine thread only. */
final class PortAgents {
  private final TreeMap<PortId, KeptQueue> queues = new TreeMap<>();
  private long version;

  void connected(HostHello hello) {
    disconnected(hello.host());
    hello.switchPorts().forEach(port -> queues.put(port, new KeptQueue(port, hello.host())));
    version++;
  }

  void disconnected(HostId agent) {
    if (queues.values().removeIf(queue -> queue.agent.equals(agent))) {
      version++;
    }
  }

  void observe(PortQueueObservation observation) {
    for (PortQueueSample sample : observation.ports()) {
      KeptQueue queue = queues.get(sample.port());
      if (queue != null
          && queue.agent.equals(observation.host())
          && queue.take(sample, observation.receivedNanos(), observation.intervalNanos())) {
        version++;
      }
    }
  }

  /** Grows whenever a port has another agent or other queues. */
  long version() {
    return version;
  }

  /** By port; some may not be known yet. */
  Collection<KeptQueue> all() {
    return queues.values();
  }

  Optional<KeptQueue> find(PortId port) {
    return Optional.ofNullable(queues.get(port));
  }

  /** A port's, if it has background queues that can be capped. */
  Optional<KeptQueue> withLevels(PortId port) {
    return find(port).filter(KeptQueue::hasLevels);
  }
}

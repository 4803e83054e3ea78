// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.platform;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.sluice.api.HostId;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedMap.Versioned;
import org.sluice.core.spi.ReplicatedStorage;

/**
 * The numbers of hosts' ports at the one big switch, the same on every node and over restarts. An
 * entry of the map is a number with its host; where two nodes gave a host one each, the lower one
 * counts. One thread at a time.
 */
final class PortNumbers {
  private static final String STORE = "sluice-fabric-ports";

  private final ReplicatedMap store;
  private Map<HostId, Long> known = Map.of();

  PortNumbers(ReplicatedStorage storage) {
    store = storage.map(STORE);
  }

  /** A host's number, as far as it is known here. */
  OptionalLong of(HostId host) {
    Long number = known.get(host);
    return number == null ? OptionalLong.empty() : OptionalLong.of(number);
  }

  /**
   * Gives numbers to hosts that have none.
   *
   * @throws org.sluice.core.spi.StorageUnavailableException if the storage does not answer
   */
  void give(Iterable<HostId> hosts) {
    read();
    for (HostId host : hosts) {
      while (!known.containsKey(host)) {
        long free = 1;
        while (known.containsValue(free)) {
          free++;
        }
        store.putIfAbsent(String.valueOf(free), host.name()); // Or another node does, with its own.
        read();
      }
    }
  }

  private void read() {
    Map<HostId, Long> now = new HashMap<>();
    for (Map.Entry<String, Versioned> entry : store.entries().entrySet()) {
      now.merge(HostId.of(entry.getValue().value()), Long.parseLong(entry.getKey()), Math::min);
    }
    known = now;
  }
}

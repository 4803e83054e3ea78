// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.feedback;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.sluice.api.PortId;
import org.sluice.sim.shim.law.PortShare;

/**
 * The unit shares of controlled ports through which this host's endpoints are reached, to be
 * relayed to sources. They stay when the controller goes: then a newcomer gets them nowhere else.
 */
public final class ShareRelay {
  private final List<Entry> entries = new ArrayList<>();

  private record Entry(RelayedShare relayed, int[] reached) {
    boolean reaches(int endpoint) {
      return Arrays.binarySearch(reached, endpoint) >= 0;
    }

    long bitsPerSecond() {
      return relayed.share().unitShareBitsPerSecond();
    }
  }

  /**
   * Takes what the controller published.
   *
   * @param reached this host's endpoints that are reached through the port, in order; none ends it
   */
  public void put(PortId port, PortShare share, int[] reached) {
    entries.removeIf(entry -> entry.relayed().port().equals(port));
    if (!share.expired() && reached.length > 0) {
      entries.add(new Entry(new RelayedShare(port, share), reached));
    }
  }

  /** The lowest that holds for what comes to an endpoint; null if there is none. */
  public RelayedShare lowest(int endpoint) {
    Entry lowest = null;
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      if (entry.reaches(endpoint)
          && (lowest == null || entry.bitsPerSecond() < lowest.bitsPerSecond())) {
        lowest = entry;
      }
    }
    return lowest == null ? null : lowest.relayed();
  }
}

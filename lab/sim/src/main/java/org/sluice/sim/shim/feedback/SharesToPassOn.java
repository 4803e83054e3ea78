// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.feedback;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.sluice.api.PortId;
import org.sluice.sim.shim.law.PortShare;

/**
 * The unit shares of controlled ports through which this host's endpoints are reached. They stay
 * when the controller goes: then they are all that a newcomer can learn.
 */
public final class SharesToPassOn {
  private final List<Entry> entries = new ArrayList<>();

  private final long staleNanos;

  /**
   * @param staleNanos after so long without a word of the controller a share is passed on as stale
   */
  public SharesToPassOn(long staleNanos) {
    this.staleNanos = staleNanos;
  }

  private record Entry(PassedShare passed, PassedShare stale, int[] reached, long toldNanos) {
    boolean reaches(int endpoint) {
      return Arrays.binarySearch(reached, endpoint) >= 0;
    }
  }

  /**
   * Takes what the controller published.
   *
   * @param reached this host's endpoints that are reached through the port, in order; none ends it
   */
  public void put(PortId port, PortShare share, int[] reached, long nowNanos) {
    entries.removeIf(entry -> entry.passed().port().equals(port));
    if (!share.expired() && reached.length > 0) {
      entries.add(
          new Entry(
              new PassedShare(port, share),
              new PassedShare(port, share.asStale()),
              reached,
              nowNanos));
    }
  }

  /** The lowest that holds for what comes to an endpoint; null if there is none. */
  public PassedShare lowest(int endpoint, long nowNanos) {
    Entry lowest = null;
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      if (entry.reaches(endpoint)
          && (lowest == null
              || entry.passed().share().unitShareBitsPerSecond()
                  < lowest.passed().share().unitShareBitsPerSecond())) {
        lowest = entry;
      }
    }
    if (lowest == null) {
      return null;
    }
    return nowNanos - lowest.toldNanos() >= staleNanos ? lowest.stale() : lowest.passed();
  }
}

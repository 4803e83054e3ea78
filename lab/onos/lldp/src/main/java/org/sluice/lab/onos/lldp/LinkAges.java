// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.lldp;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.onosproject.net.LinkKey;

/** When each link was last shown by a probe. */
final class LinkAges {

  private final Map<LinkKey, Long> lastSeenNanos = new ConcurrentHashMap<>();

  void saw(LinkKey link, long nowNanos) {
    lastSeenNanos.put(link, nowNanos);
  }

  /** Forgets and returns the links that no probe has shown for longer than an age. */
  List<LinkKey> takeOlderThan(long ageNanos, long nowNanos) {
    List<LinkKey> old = new ArrayList<>();
    lastSeenNanos.forEach(
        (link, seen) -> {
          if (nowNanos - seen > ageNanos && lastSeenNanos.remove(link, seen)) {
            old.add(link);
          }
        });
    return old;
  }

  void forget(Predicate<LinkKey> gone) {
    lastSeenNanos.keySet().removeIf(gone);
  }
}

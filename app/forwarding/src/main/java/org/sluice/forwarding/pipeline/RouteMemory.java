// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import java.util.HashSet;
import java.util.Set;
import org.sluice.api.IpAddress;

/**
 * Remembers over restarts for which addresses rules may stand in switches. After a restart the
 * rules for a host that says nothing are still there, and serve it; but the platform may not have
 * them any more, and removes only what it knows. Not thread-safe.
 */
final class RouteMemory {
  private final Set<IpAddress> kept;
  private final Set<IpAddress> attached = new HashSet<>();

  /**
   * Goes on with what was kept.
   *
   * @param kept outlives this node's process
   */
  RouteMemory(Set<IpAddress> kept) {
    this.kept = kept;
  }

  /** These addresses have rules now; those of addresses that no longer have are taken back. */
  void follow(Set<IpAddress> now) {
    for (IpAddress ip : now) {
      if (attached.add(ip)) {
        kept.add(ip);
      }
    }
    attached.removeIf(
        ip -> {
          boolean isGone = !now.contains(ip);
          if (isGone) {
            kept.remove(ip);
          }
          return isGone;
        });
  }

  /** Addresses whose rules are from an earlier life, and which were not seen in this one. */
  Set<IpAddress> inherited() {
    Set<IpAddress> inherited = new HashSet<>(kept);
    inherited.removeAll(attached);
    return inherited;
  }

  /** The rules of these are gone from every switch. */
  void forget(Set<IpAddress> gone) {
    gone.forEach(kept::remove);
  }

  /** No rule stands any more. */
  void clear() {
    // Who does not forward says so every few seconds; the disk need not know.
    if (!kept.isEmpty()) {
      kept.clear();
    }
    attached.clear();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.topology;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.sluice.api.IpAddress;

/** Since when an address has been silent: neither seen, nor sent to. Thread-safe. */
final class AttachmentAges {
  private static final class Age {
    private long activeNanos;
    private long packets = -1;

    Age(long nowNanos) {
      activeNanos = nowNanos;
    }
  }

  private final Map<IpAddress, Age> ages = new HashMap<>();

  synchronized void seen(IpAddress ip, long nowNanos) {
    ages.computeIfAbsent(ip, i -> new Age(nowNanos)).activeNanos = nowNanos;
  }

  /**
   * What a switch's rule for the address has counted so far; it begins at 0 when it is sent anew.
   */
  synchronized void counted(IpAddress ip, long packets, long nowNanos) {
    Age age = ages.computeIfAbsent(ip, i -> new Age(nowNanos));
    if (age.packets >= 0 && packets > age.packets) {
      age.activeNanos = nowNanos;
    }
    age.packets = packets;
  }

  /** Since this node began to check, at the longest. */
  synchronized long silentNanos(IpAddress ip, long nowNanos) {
    return nowNanos - ages.computeIfAbsent(ip, i -> new Age(nowNanos)).activeNanos;
  }

  /** Nothing is known any longer of other addresses. */
  synchronized void retain(Set<IpAddress> ips) {
    ages.keySet().retainAll(ips);
  }
}

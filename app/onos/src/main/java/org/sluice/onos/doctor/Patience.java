// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.doctor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Tells what stays from what passes. */
final class Patience {
  /** ONOS looks at flows every 5 s and at meters every 10 s, and confirms no earlier. */
  static final long LASTING_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final Map<Trouble, Long> since = new HashMap<>();

  /** What there is now; all else has passed. */
  synchronized void seen(Set<Trouble> now, long nowNanos) {
    since.keySet().retainAll(now);
    now.forEach(trouble -> since.putIfAbsent(trouble, nowNanos));
  }

  /** What has been seen at every look for at least {@link #LASTING_NANOS}. */
  synchronized List<Trouble> lasting(long nowNanos) {
    List<Trouble> lasting = new ArrayList<>();
    since.forEach(
        (trouble, first) -> {
          if (nowNanos - first >= LASTING_NANOS) {
            lasting.add(trouble);
          }
        });
    return lasting;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.sluice.core.spi.Symptom;

/** Separates symptoms that last from those that pass. */
final class SymptomDebounce {
  /** Platforms read flows every 5 s and meters every 10 s, and confirm no earlier. */
  static final long LASTING_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final Map<Symptom, Long> since = new HashMap<>();

  /** What there is now; all else has passed. */
  synchronized void seen(Set<Symptom> now, long nowNanos) {
    since.keySet().retainAll(now);
    now.forEach(symptom -> since.putIfAbsent(symptom, nowNanos));
  }

  /** What has been seen at every evaluation for at least {@link #LASTING_NANOS}. */
  synchronized List<Symptom> lasting(long nowNanos) {
    List<Symptom> lasting = new ArrayList<>();
    since.forEach(
        (symptom, first) -> {
          if (nowNanos - first >= LASTING_NANOS) {
            lasting.add(symptom);
          }
        });
    return lasting;
  }
}

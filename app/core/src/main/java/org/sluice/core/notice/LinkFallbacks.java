// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.notice;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.EndpointId;
import org.sluice.api.JournalEntry;
import org.sluice.core.journal.JournalWriter;

/**
 * Counts how notices went, and writes it into the journal when an endpoint's begin to go otherwise:
 * not every notice, and not oftener than every 10 s.
 */
final class LinkFallbacks {
  static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final Logger log = LoggerFactory.getLogger(LinkFallbacks.class);
  private static final String NONE = "";

  private final JournalWriter journal;
  private final LongSupplier clockNanos;
  private final Map<EndpointId, Written> written = new HashMap<>();
  private long inBand;
  private long byLink;

  /** What the journal holds about an endpoint. */
  private static final class Written {
    final String reason;
    final long nanos;

    Written(String reason, long nanos) {
      this.reason = reason;
      this.nanos = nanos;
    }
  }

  LinkFallbacks(JournalWriter journal, LongSupplier clockNanos) {
    this.journal = journal;
    this.clockNanos = clockNanos;
  }

  /** A notice left in band. */
  synchronized void inBand(EndpointId endpoint) {
    inBand++;
    if (written.containsKey(endpoint) && isChange(endpoint, NONE)) {
      record(endpoint, "Notices go in band again");
    }
  }

  /** A notice went by the link instead. */
  synchronized void byLink(EndpointId endpoint, String reason) {
    byLink++;
    if (isChange(endpoint, reason)) {
      log.warn("Notices to {} go by the link: {}", endpoint, reason);
      record(endpoint, "Notices go by the link: " + reason);
    }
  }

  private boolean isChange(EndpointId endpoint, String reason) {
    long now = clockNanos.getAsLong();
    Written last = written.get(endpoint);
    if (last != null && (last.reason.equals(reason) || now - last.nanos < QUIET_NANOS)) {
      return false;
    }
    written.put(endpoint, new Written(reason, now));
    return true;
  }

  private void record(EndpointId endpoint, String decision) {
    journal.write(
        JournalEntry.Kind.NOTICE,
        endpoint,
        decision,
        "notices = in-band; " + inBand + " notices in band and " + byLink + " by the link so far");
  }
}

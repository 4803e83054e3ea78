// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.util.Optional;

/**
 * Whether a host is in quarantine: it exceeded one of its {@linkplain HostLimits limits}. Then
 * nothing that it reports is taken in and no new session of it is opened, while what it was sent
 * last holds. It ends by itself when the host has exceeded nothing for {@link
 * HostLimits#QUARANTINE_NANOS}. Thread-safe.
 */
final class HostQuarantine {
  private String reason;
  private long untilNanos;

  /**
   * The host exceeded a limit now.
   *
   * @return whether a quarantine begins by it
   */
  synchronized boolean exceeded(String limit, long nowNanos) {
    boolean begins = reason == null;
    if (begins) {
      reason = limit;
    }
    untilNanos = nowNanos + HostLimits.QUARANTINE_NANOS;
    return begins;
  }

  /** Which limit it exceeded first; empty: it is in no quarantine. */
  synchronized Optional<String> reason() {
    return Optional.ofNullable(reason);
  }

  /** How long it lasts still if the host keeps its limits, s. */
  synchronized long secondsLeft(long nowNanos) {
    return reason == null ? 0 : Math.max(1, (untilNanos - nowNanos) / 1_000_000_000L);
  }

  /** Ends it if it is time; whether it did. */
  synchronized boolean endIfOver(long nowNanos) {
    if (reason == null || nowNanos - untilNanos < 0) {
      return false;
    }
    reason = null;
    return true;
  }
}

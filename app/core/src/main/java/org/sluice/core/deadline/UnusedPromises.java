// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.sluice.api.TenantId;

/**
 * How much tenants were promised lately and did not send: whoever holds what all may have and lets
 * it lapse gets less of it the next time. Forgotten within minutes. For the engine's thread.
 */
final class UnusedPromises {
  private static final double MEMORY_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Less is forgotten. */
  private static final double NOTHING_BYTES = 1;

  private final Map<TenantId, Amount> amounts = new HashMap<>();

  private static final class Amount {
    final double bytes;
    final long atNanos;

    Amount(double bytes, long atNanos) {
      this.bytes = bytes;
      this.atNanos = atNanos;
    }
  }

  /** So much of what a tenant was promised was not sent. */
  void add(TenantId tenant, long bytes, long nowNanos) {
    amounts.values().removeIf(amount -> left(amount, nowNanos) < NOTHING_BYTES);
    amounts.put(tenant, new Amount(bytes(tenant, nowNanos) + bytes, nowNanos));
  }

  /** What of it still counts, bytes. */
  double bytes(TenantId tenant, long nowNanos) {
    Amount amount = amounts.get(tenant);
    return amount == null ? 0 : left(amount, nowNanos);
  }

  private static double left(Amount amount, long nowNanos) {
    return amount.bytes * Math.exp((amount.atNanos - nowNanos) / MEMORY_NANOS);
  }
}

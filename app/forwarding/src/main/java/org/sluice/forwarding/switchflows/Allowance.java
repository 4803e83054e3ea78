// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.switchflows;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.sluice.api.PortId;

/**
 * How much the controller receives from behind a port: a tenant that begins connections as fast as
 * it can is not listened to for a while.
 */
public final class Allowance {
  static final int PER_SECOND = 500;
  public static final int BURST = 1000;
  static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final double PER_NANO = PER_SECOND / 1e9;

  private static final class Bucket {
    double left = BURST;
    long filledNanos;
    long pausedNanos;
    boolean paused;
  }

  private final Map<PortId, Bucket> buckets = new HashMap<>();

  /** One more from behind a port; false: that was too many, and the port is paused from now on. */
  synchronized boolean take(PortId port, long nowNanos) {
    Bucket bucket = buckets.computeIfAbsent(port, p -> new Bucket());
    bucket.left = Math.min(BURST, bucket.left + (nowNanos - bucket.filledNanos) * PER_NANO);
    bucket.filledNanos = nowNanos;
    if (bucket.left >= 1) {
      bucket.left--;
      return true;
    }
    if (isPaused(bucket, nowNanos)) {
      return true; // On its way already when the pause began.
    }
    bucket.paused = true;
    bucket.pausedNanos = nowNanos;
    return false;
  }

  synchronized boolean isPaused(PortId port, long nowNanos) {
    Bucket bucket = buckets.get(port);
    return bucket != null && isPaused(bucket, nowNanos);
  }

  private static boolean isPaused(Bucket bucket, long nowNanos) {
    return bucket.paused && nowNanos - bucket.pausedNanos < PAUSE_NANOS;
  }

  synchronized void clear() {
    buckets.clear();
  }
}

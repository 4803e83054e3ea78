// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.counter;

import java.util.concurrent.TimeUnit;

/** What passed of late, bit/s: over a window or a little more. */
public final class RecentRate {
  private static final long SHOWN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final double BITS_PER_BYTE_NANOS = 8e9;

  private final long windowNanos;
  private long bytes;
  private long nanos;
  private long bitsPerSecond;

  public RecentRate(long windowNanos) {
    this.windowNanos = windowNanos;
  }

  /** One for those who look: over a second, as all rates that are shown. */
  public static RecentRate shown() {
    return new RecentRate(SHOWN_NANOS);
  }

  /** So much passed over an interval, ns. */
  public void add(long passedBytes, long intervalNanos) {
    bytes += passedBytes;
    nanos += intervalNanos;
    if (nanos >= windowNanos) {
      bitsPerSecond = Math.round(bytes * BITS_PER_BYTE_NANOS / nanos);
      bytes = 0;
      nanos = 0;
    }
  }

  public long bitsPerSecond() {
    return bitsPerSecond;
  }
}

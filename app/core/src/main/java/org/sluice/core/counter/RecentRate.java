// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.counter;

import java.util.concurrent.TimeUnit;

/** What passed of late, bit/s: over the last tenth of a second or a little more. */
public final class RecentRate {
  private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final double BITS_PER_BYTE_NANOS = 8e9;

  private long bytes;
  private long nanos;
  private long bitsPerSecond;

  /** So much passed over an interval, ns. */
  public void add(long passedBytes, long intervalNanos) {
    bytes += passedBytes;
    nanos += intervalNanos;
    if (nanos >= WINDOW_NANOS) {
      bitsPerSecond = Math.round(bytes * BITS_PER_BYTE_NANOS / nanos);
      bytes = 0;
      nanos = 0;
    }
  }

  public long bitsPerSecond() {
    return bitsPerSecond;
  }
}

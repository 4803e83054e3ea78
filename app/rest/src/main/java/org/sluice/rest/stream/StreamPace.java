// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.stream;

import java.util.concurrent.TimeUnit;

/** How fast, how long and for how many readers the stream runs. */
public final class StreamPace {
  /** As it is served. */
  public static final StreamPace USUAL = new StreamPace(32, 200, 1_000, 30_000, 600_000, 60_000);

  final int mostReaders;
  final long periodNanos;
  final long timeNanos;
  final long stuckNanos;
  final long lifetimeNanos;
  final long lingerNanos;

  /**
   * A pace.
   *
   * @param mostReaders how many may read at the same time
   * @param periodMillis how often the services are evaluated
   * @param timeMillis how often the time is sent, and what changes rarely is evaluated
   * @param stuckMillis for how long a reader may take nothing
   * @param lifetimeMillis after how long a reader has to connect again, so that a user whose roles
   *     were taken away does not read on
   * @param lingerMillis for how long readers that come back can resume where nobody else reads
   */
  public StreamPace(
      int mostReaders,
      long periodMillis,
      long timeMillis,
      long stuckMillis,
      long lifetimeMillis,
      long lingerMillis) {
    this.mostReaders = mostReaders;
    this.periodNanos = TimeUnit.MILLISECONDS.toNanos(periodMillis);
    this.timeNanos = TimeUnit.MILLISECONDS.toNanos(timeMillis);
    this.stuckNanos = TimeUnit.MILLISECONDS.toNanos(stuckMillis);
    this.lifetimeNanos = TimeUnit.MILLISECONDS.toNanos(lifetimeMillis);
    this.lingerNanos = TimeUnit.MILLISECONDS.toNanos(lingerMillis);
  }
}

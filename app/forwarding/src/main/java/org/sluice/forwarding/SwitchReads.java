// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.sluice.core.runtime.Execution;
import org.sluice.forwarding.spi.LateSwitchException;

/**
 * Reads what switches have, with a bound: a platform may request it from a node that has died, and
 * take many seconds to give up. All switches together are waited for that long at most, lest those
 * of a dead node hold up the others.
 */
public final class SwitchReads<T> {
  static final long PATIENCE_NANOS = SECONDS.toNanos(1);

  /** Patience is anew after so long. */
  private static final long WINDOW_NANOS = SECONDS.toNanos(5);

  private static final int MOST_AT_ONCE = 256;

  private final Execution execution;
  private final Function<String, T> read;
  private final ExecutorService readers;
  private final Map<String, Future<T>> late = new ConcurrentHashMap<>();
  private long windowNanos = Long.MIN_VALUE;
  private long waitedNanos;

  /**
   * One that has read nothing yet.
   *
   * @param read what the platform has of a switch; may take long
   */
  public SwitchReads(Execution execution, Function<String, T> read) {
    this.execution = execution;
    this.read = read;
    readers = execution.parallel("switch-reads", MOST_AT_ONCE);
  }

  public void stop() {
    readers.shutdownNow();
  }

  /**
   * What a switch has.
   *
   * @throws LateSwitchException if that is not known in time
   */
  public T of(String datapath) {
    Future<T> before = late.get(datapath);
    if (before != null && !before.isDone()) {
      throw new LateSwitchException(datapath);
    }
    late.remove(datapath); // What came late may be old.
    Future<T> reading = readers.submit(() -> read.apply(datapath));
    long begun = execution.clock().nanoTime();
    try {
      return execution.await(reading, patience(begun));
    } catch (TimeoutException e) {
      late.put(datapath, reading);
      waited(execution.clock().nanoTime() - begun);
      throw new LateSwitchException(datapath);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException
          ? (RuntimeException) e.getCause()
          : new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LateSwitchException(datapath);
    }
  }

  private synchronized long patience(long nowNanos) {
    if (windowNanos == Long.MIN_VALUE || nowNanos - windowNanos > WINDOW_NANOS) {
      windowNanos = nowNanos;
      waitedNanos = 0;
    }
    return Math.max(PATIENCE_NANOS - waitedNanos, PATIENCE_NANOS / 100);
  }

  private synchronized void waited(long nanos) {
    waitedNanos += nanos;
  }
}

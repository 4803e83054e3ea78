// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.runtime;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that many events request, and that is done once for all of them that come before it
 * begins. To run it is to request it, from any thread; where the executor has been shut down, since
 * the component is stopping, that changes nothing.
 */
public final class CoalescedTask implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(CoalescedTask.class);

  /** How often as long as it took a task rests. */
  private static final int REST = 9;

  private static final long LONGEST_REST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Later later;
  private final Runnable task;
  private final LongSupplier nanoTime;
  private final AtomicBoolean requested = new AtomicBoolean();
  private volatile long endedNanos;
  private volatile long restNanos;

  /** Where a task is done after some time. */
  @FunctionalInterface
  public interface Later {
    void execute(Runnable command, long delayNanos);
  }

  /**
   * A task that nobody has requested yet.
   *
   * @param executor where the task is done
   */
  public CoalescedTask(Executor executor, Runnable task) {
    this((command, delay) -> executor.execute(command), task, () -> 0);
  }

  /**
   * One that looks at everything there is: however often it is requested, it takes about a tenth of
   * a processor, or begins a second after it has ended.
   */
  public CoalescedTask(Later later, Runnable task, LongSupplier nanoTime) {
    this.later = later;
    this.task = task;
    this.nanoTime = nanoTime;
  }

  @Override
  public void run() {
    if (requested.compareAndSet(false, true)) {
      try {
        long rested = nanoTime.getAsLong() - endedNanos;
        later.execute(this::begin, Math.max(0, restNanos - rested));
      } catch (RejectedExecutionException e) {
        requested.set(false);
        log.debug("Ignored an event: the component is stopping");
      }
    }
  }

  private void begin() {
    requested.set(false);
    long begun = nanoTime.getAsLong();
    try {
      task.run();
    } finally {
      endedNanos = nanoTime.getAsLong();
      restNanos = Math.min(LONGEST_REST_NANOS, REST * (endedNanos - begun));
    }
  }
}

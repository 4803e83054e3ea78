// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.runtime;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that many events request, and that is done once for all of them that come before it
 * begins. To run it is to request it, from any thread; where the executor has been shut down, since
 * the component is stopping, that changes nothing.
 */
public final class CoalescedTask implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(CoalescedTask.class);

  private final Executor executor;
  private final Runnable task;
  private final AtomicBoolean requested = new AtomicBoolean();

  /**
   * A task that nobody has requested yet.
   *
   * @param executor where the task is done
   */
  public CoalescedTask(Executor executor, Runnable task) {
    this.executor = executor;
    this.task = task;
  }

  @Override
  public void run() {
    if (requested.compareAndSet(false, true)) {
      try {
        executor.execute(this::begin);
      } catch (RejectedExecutionException e) {
        requested.set(false);
        log.debug("Ignored an event: the component is stopping");
      }
    }
  }

  private void begin() {
    requested.set(false);
    task.run();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.runtime;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;

/** Time, and whoever runs something: real threads, or a test's virtual ones. */
public interface Execution {

  Clock clock();

  /** Runs tasks one after the other. */
  ScheduledExecutorService sequential(String name);

  /** Runs up to so many tasks at once. */
  ExecutorService parallel(String name, int threads);

  /** Calls a cycle whenever it is due or {@link Loop#wake} was called, until it is closed. */
  Loop loop(String name, Cycle cycle);

  /**
   * Waits for a result.
   *
   * @throws TimeoutException if there is none in time
   */
  <T> T await(Future<T> result, long timeoutNanos)
      throws InterruptedException, ExecutionException, TimeoutException;

  /** What a loop does. One thread only. */
  interface Cycle {
    /**
     * Does what is due now.
     *
     * @return when it is to be called again, on {@link Clock#nanoTime}
     */
    long run(long nowNanos);
  }

  /** A running loop. */
  interface Loop extends AutoCloseable {
    /** Has the cycle run soon. From any thread; cheap. */
    void wake();

    /** Ends it; returns when the cycle does not run any longer, or after two seconds. */
    @Override
    void close();
  }
}

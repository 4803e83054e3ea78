// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.testing;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.sluice.core.runtime.Clock;
import org.sluice.core.runtime.Execution;
import org.sluice.core.runtime.SystemExecution;

/** Real threads, with a clock that a test sets forward. */
public class ShiftedExecution implements Execution, Clock {
  private final SystemExecution real = new SystemExecution();
  private final LongSupplier laterNanos;

  /**
   * Ahead of this process's time.
   *
   * @param laterNanos by how much, ns; grows
   */
  public ShiftedExecution(LongSupplier laterNanos) {
    this.laterNanos = laterNanos;
  }

  @Override
  public Clock clock() {
    return this;
  }

  @Override
  public long nanoTime() {
    return real.nanoTime() + laterNanos.getAsLong();
  }

  @Override
  public long wallMicros() {
    return real.wallMicros();
  }

  @Override
  public ScheduledExecutorService sequential(String name) {
    return real.sequential(name);
  }

  @Override
  public ExecutorService parallel(String name, int threads) {
    return real.parallel(name, threads);
  }

  @Override
  public Loop loop(String name, Cycle cycle) {
    return real.loop(name, cycle);
  }

  @Override
  public <T> T await(Future<T> result, long timeoutNanos)
      throws InterruptedException, ExecutionException, TimeoutException {
    return real.await(result, timeoutNanos);
  }
}

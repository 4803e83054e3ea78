// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.runtime;

import java.time.Instant;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** The machine's clocks, and threads that do not keep it from stopping. */
public final class SystemExecution implements Execution, Clock {
  private static final long STOP_MILLIS = 2000;

  @Override
  public Clock clock() {
    return this;
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public long wallMicros() {
    Instant now = Instant.now();
    return TimeUnit.SECONDS.toMicros(now.getEpochSecond()) + now.getNano() / 1000;
  }

  @Override
  public ScheduledExecutorService sequential(String name) {
    return Executors.newSingleThreadScheduledExecutor(threads(name));
  }

  @Override
  public ExecutorService parallel(String name, int threads) {
    return Executors.newFixedThreadPool(threads, threads(name));
  }

  private static ThreadFactory threads(String name) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      int number = count.getAndIncrement();
      return daemon("sluice-" + name + (number == 0 ? "" : "-" + number), task);
    };
  }

  private static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public <T> T await(Future<T> result, long timeoutNanos)
      throws InterruptedException, ExecutionException, TimeoutException {
    return result.get(timeoutNanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public Loop loop(String name, Cycle cycle) {
    ThreadLoop loop = new ThreadLoop(name, cycle);
    loop.thread.start();
    return loop;
  }

  private static final class ThreadLoop implements Loop {
    private final Cycle cycle;
    private final Thread thread;
    private volatile boolean running = true;

    ThreadLoop(String name, Cycle cycle) {
      this.cycle = cycle;
      thread = daemon("sluice-" + name, this::run);
    }

    private void run() {
      while (running) {
        long next = cycle.run(System.nanoTime());
        long left = next - System.nanoTime();
        if (running && left > 0) {
          LockSupport.parkNanos(this, left);
        }
      }
    }

    @Override
    public void wake() {
      LockSupport.unpark(thread);
    }

    @Override
    public void close() {
      running = false;
      LockSupport.unpark(thread);
      try {
        thread.join(STOP_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}

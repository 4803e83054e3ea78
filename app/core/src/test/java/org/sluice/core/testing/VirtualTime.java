// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.testing;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.sluice.core.runtime.Clock;
import org.sluice.core.runtime.Execution;
import org.sluice.core.virtual.EventQueue;
import org.sluice.core.virtual.VirtualExecution;

/** Time that passes only when a test says so, with all that is due meanwhile. */
public final class VirtualTime implements Execution, EventQueue {
  private static final long START_WALL_MICROS = 1_700_000_000_000_000L;

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          Comparator.comparingLong((Event event) -> event.atNanos)
              .thenComparingLong(event -> event.number));
  private final VirtualExecution execution = new VirtualExecution(this);
  private long nowNanos = TimeUnit.SECONDS.toNanos(1000);
  private long wallOffsetMicros =
      START_WALL_MICROS - TimeUnit.NANOSECONDS.toMicros(TimeUnit.SECONDS.toNanos(1000));
  private long number;

  /** Something that is due. */
  private static final class Event {
    final long atNanos;
    final long number;
    final Runnable action;

    Event(long atNanos, long number, Runnable action) {
      this.atNanos = atNanos;
      this.number = number;
      this.action = action;
    }
  }

  @Override
  public Clock clock() {
    return this;
  }

  @Override
  public long nanoTime() {
    return nowNanos;
  }

  @Override
  public long wallMicros() {
    return TimeUnit.NANOSECONDS.toMicros(nowNanos) + wallOffsetMicros;
  }

  /** Somebody sets the clock on the wall. */
  public void stepWallClock(long micros) {
    wallOffsetMicros += micros;
  }

  /** Lets time pass, with all that is due meanwhile. */
  public void advanceMillis(long millis) {
    advanceNanos(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  /** Lets time pass, with all that is due meanwhile. */
  public void advanceNanos(long nanos) {
    long end = nowNanos + nanos;
    boolean more = true;
    while (more) {
      more = runNext(end);
    }
  }

  /** Lets time pass until something holds; fails if it does not within so long. */
  public void until(BooleanSupplier condition, long withinMillis) {
    long end = nowNanos + TimeUnit.MILLISECONDS.toNanos(withinMillis);
    while (!condition.getAsBoolean()) {
      if (events.isEmpty() || events.peek().atNanos > end) {
        throw new AssertionError("It does not hold after " + withinMillis + " ms");
      }
      runNext(end);
    }
  }

  /** Does something at a later time. */
  public void at(long delayNanos, Runnable action) {
    enqueue(nowNanos + delayNanos, action);
  }

  @Override
  public void enqueue(long atNanos, Runnable action) {
    events.add(new Event(atNanos, number++, action));
  }

  @Override
  public boolean runNext(long untilNanos) {
    if (events.isEmpty() || events.peek().atNanos > untilNanos) {
      nowNanos = Math.max(nowNanos, untilNanos);
      return false;
    }
    Event next = events.poll();
    nowNanos = Math.max(nowNanos, next.atNanos);
    next.action.run();
    return true;
  }

  @Override
  public <T> T await(Future<T> result, long timeoutNanos)
      throws InterruptedException, ExecutionException, TimeoutException {
    return execution.await(result, timeoutNanos);
  }

  @Override
  public ScheduledExecutorService sequential(String name) {
    return execution.sequential(name);
  }

  @Override
  public ExecutorService parallel(String name, int threads) {
    return execution.parallel(name, threads);
  }

  @Override
  public Loop loop(String name, Cycle cycle) {
    return execution.loop(name, cycle);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.testing;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.sluice.core.runtime.Clock;
import org.sluice.core.runtime.Execution;

/**
 * Time that passes only when a test says so. Everything runs on the test's thread, in the order in
 * which it is due; who waits for a result lets the others run meanwhile, as threads would.
 */
public final class VirtualTime implements Execution, Clock {
  private static final long START_WALL_MICROS = 1_700_000_000_000_000L;

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          Comparator.comparingLong((Event event) -> event.atNanos)
              .thenComparingLong(event -> event.number));
  private long nowNanos = TimeUnit.SECONDS.toNanos(1000);
  private long wallOffsetMicros =
      START_WALL_MICROS - TimeUnit.NANOSECONDS.toMicros(TimeUnit.SECONDS.toNanos(1000));
  private long number;

  /** Something that is due. */
  private static final class Event {
    final long atNanos;
    final long number;
    final Sequence sequence;
    final Runnable action;

    Event(long atNanos, long number, Sequence sequence, Runnable action) {
      this.atNanos = atNanos;
      this.number = number;
      this.sequence = sequence;
      this.action = action;
    }
  }

  /** Whoever does one thing at a time. */
  private static class Sequence {
    private boolean busy;
    private boolean closed;
    private final Deque<Runnable> held = new ArrayDeque<>();

    void run(Runnable action) {
      if (closed) {
        return;
      }
      if (busy) {
        held.add(action); // It waits for something in the middle of another action.
        return;
      }
      busy = true;
      try {
        action.run();
      } finally {
        busy = false;
      }
      if (!held.isEmpty()) {
        run(held.poll());
      }
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
    while (!events.isEmpty() && events.peek().atNanos <= end) {
      runNext();
    }
    nowNanos = Math.max(nowNanos, end);
  }

  /** Lets time pass until something holds; fails if it does not within so long. */
  public void until(BooleanSupplier condition, long withinMillis) {
    long end = nowNanos + TimeUnit.MILLISECONDS.toNanos(withinMillis);
    while (!condition.getAsBoolean()) {
      if (events.isEmpty() || events.peek().atNanos > end) {
        throw new AssertionError("It does not hold after " + withinMillis + " ms");
      }
      runNext();
    }
  }

  /** Does something at a later time. */
  public void at(long delayNanos, Runnable action) {
    enqueue(nowNanos + delayNanos, new Sequence(), action);
  }

  private void runNext() {
    Event next = events.poll();
    nowNanos = Math.max(nowNanos, next.atNanos);
    next.sequence.run(next.action);
  }

  private void enqueue(long atNanos, Sequence sequence, Runnable action) {
    events.add(new Event(atNanos, number++, sequence, action));
  }

  @Override
  public <T> T await(Future<T> result, long timeoutNanos)
      throws InterruptedException, ExecutionException, TimeoutException {
    long end = nowNanos + timeoutNanos;
    while (!result.isDone()) {
      if (events.isEmpty() || events.peek().atNanos > end) {
        nowNanos = Math.max(nowNanos, end);
        throw new TimeoutException();
      }
      runNext();
    }
    return result.get();
  }

  @Override
  public ScheduledExecutorService sequential(String name) {
    return new VirtualExecutor();
  }

  @Override
  public ExecutorService parallel(String name, int threads) {
    return new VirtualExecutor() {
      @Override
      Sequence sequence() {
        return new Sequence();
      }
    };
  }

  @Override
  public Loop loop(String name, Cycle cycle) {
    VirtualLoop loop = new VirtualLoop(cycle);
    loop.wake();
    return loop;
  }

  private final class VirtualLoop extends Sequence implements Loop {
    private final Cycle cycle;
    private long dueNanos = Long.MAX_VALUE;
    private boolean running = true;

    VirtualLoop(Cycle cycle) {
      this.cycle = cycle;
    }

    @Override
    public void wake() {
      schedule(nowNanos);
    }

    private void schedule(long atNanos) {
      if (running && atNanos < dueNanos) {
        dueNanos = atNanos;
        enqueue(atNanos, this, () -> turn(atNanos));
      }
    }

    private void turn(long scheduledNanos) {
      if (running && scheduledNanos == dueNanos) {
        dueNanos = Long.MAX_VALUE;
        schedule(Math.max(nowNanos, cycle.run(nowNanos)));
      }
    }

    @Override
    public void close() {
      running = false;
    }
  }

  private class VirtualExecutor extends AbstractExecutorService
      implements ScheduledExecutorService {
    private final Sequence sequence = new Sequence();
    private boolean shutdown;

    Sequence sequence() {
      return sequence;
    }

    @Override
    public void execute(Runnable command) {
      schedule(command, 0, TimeUnit.NANOSECONDS);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
      return schedule(
          () -> {
            command.run();
            return null;
          },
          delay,
          unit);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
      if (shutdown) {
        throw new RejectedExecutionException("shut down");
      }
      VirtualTask<V> task = new VirtualTask<>(callable, 0, nowNanos + unit.toNanos(delay));
      enqueue(task.atNanos, sequence(), task);
      return task;
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(
        Runnable command, long initialDelay, long period, TimeUnit unit) {
      return scheduleWithFixedDelay(command, initialDelay, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(
        Runnable command, long initialDelay, long delay, TimeUnit unit) {
      VirtualTask<Object> task =
          new VirtualTask<>(
              () -> {
                command.run();
                return null;
              },
              unit.toNanos(delay),
              nowNanos + unit.toNanos(initialDelay));
      enqueue(task.atNanos, sequence(), task);
      return task;
    }

    @Override
    public void shutdown() {
      shutdown = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
      shutdown = true;
      sequence.closed = true;
      return new ArrayList<>();
    }

    @Override
    public boolean isShutdown() {
      return shutdown;
    }

    @Override
    public boolean isTerminated() {
      return shutdown;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
      return true;
    }

    private final class VirtualTask<V> extends FutureTask<V> implements RunnableScheduledFuture<V> {
      private final long periodNanos;
      private long atNanos;

      VirtualTask(Callable<V> callable, long periodNanos, long atNanos) {
        super(callable);
        this.periodNanos = periodNanos;
        this.atNanos = atNanos;
      }

      @Override
      public void run() {
        if (shutdown || isCancelled()) {
          return;
        }
        if (periodNanos == 0) {
          super.run();
        } else if (runAndReset()) {
          atNanos = nowNanos + periodNanos;
          enqueue(atNanos, sequence(), this);
        }
      }

      @Override
      public boolean isPeriodic() {
        return periodNanos > 0;
      }

      @Override
      public long getDelay(TimeUnit unit) {
        return unit.convert(atNanos - nowNanos, TimeUnit.NANOSECONDS);
      }

      @Override
      public int compareTo(Delayed other) {
        return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
      }
    }
  }
}

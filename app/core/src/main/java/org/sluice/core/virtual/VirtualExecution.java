// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.virtual;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
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
import org.sluice.core.runtime.Clock;
import org.sluice.core.runtime.Execution;

/**
 * Runs everything on the caller's thread, in the order in which it is due, as an event queue says;
 * whoever waits for a result lets the others run meanwhile, as threads would.
 */
public class VirtualExecution implements Execution {
  private final EventQueue events;

  /** One that has nothing to run. */
  public VirtualExecution(EventQueue events) {
    this.events = events;
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
    return events;
  }

  private void enqueue(long atNanos, Sequence sequence, Runnable action) {
    events.enqueue(atNanos, () -> sequence.run(action));
  }

  @Override
  public <T> T await(Future<T> result, long timeoutNanos)
      throws InterruptedException, ExecutionException, TimeoutException {
    long end = events.nanoTime() + timeoutNanos;
    while (!result.isDone()) {
      if (!events.runNext(end)) {
        throw new TimeoutException();
      }
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
      schedule(events.nanoTime());
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
        schedule(Math.max(events.nanoTime(), cycle.run(events.nanoTime())));
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
      VirtualTask<V> task = new VirtualTask<>(callable, 0, events.nanoTime() + unit.toNanos(delay));
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
              events.nanoTime() + unit.toNanos(initialDelay));
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
          atNanos = events.nanoTime() + periodNanos;
          enqueue(atNanos, sequence(), this);
        }
      }

      @Override
      public boolean isPeriodic() {
        return periodNanos > 0;
      }

      @Override
      public long getDelay(TimeUnit unit) {
        return unit.convert(atNanos - events.nanoTime(), TimeUnit.NANOSECONDS);
      }

      @Override
      public int compareTo(Delayed other) {
        return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
      }
    }
  }
}

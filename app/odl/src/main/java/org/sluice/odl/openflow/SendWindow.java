// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * What one switch is sent, in order and many at once, while it is there and has been read. Its
 * monitor guards all that is remembered of the switch.
 */
final class SendWindow {
  /** So many calls are under way at most: one that does not answer holds up no more. */
  static final int MOST_UNDER_WAY = 256;

  /** A call without an answer is given up after that; the next audit says what became of it. */
  static final long DEADLINE_NANOS = SECONDS.toNanos(5);

  private final ScheduledExecutorService executor;
  private final Supplier<CompletableFuture<?>> barrier;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private final Set<Waiting> underWay = new HashSet<>();
  private boolean open;
  private boolean barrierDue;
  private long steps;

  private record Waiting(Supplier<CompletableFuture<?>> call, CompletableFuture<Void> done) {}

  /**
   * A closed one.
   *
   * @param executor where calls end and barriers are sent
   */
  SendWindow(ScheduledExecutorService executor, Supplier<CompletableFuture<?>> barrier) {
    this.executor = executor;
    this.barrier = barrier;
  }

  synchronized boolean isOpen() {
    return open;
  }

  synchronized void open() {
    open = true;
  }

  /** Gives up all that is under way. */
  void close() {
    List<CompletableFuture<Void>> all;
    synchronized (this) {
      open = false;
      all = new ArrayList<>();
      underWay.forEach(each -> all.add(each.done));
      waiting.forEach(each -> all.add(each.done));
      underWay.clear();
      waiting.clear();
    }
    all.forEach(each -> each.completeExceptionally(new IllegalStateException("it went away")));
  }

  /** Counts what happens, so that one can say what was before a reading. */
  synchronized long step() {
    return ++steps;
  }

  /**
   * Sends something after all that was submitted before.
   *
   * @return how it ended, on the executor; at once and with an exception while this is closed
   */
  synchronized CompletableFuture<Void> submit(Supplier<CompletableFuture<?>> call) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    if (open) {
      waiting.add(new Waiting(call, done));
      send();
    } else {
      done.completeExceptionally(new IllegalStateException("it is not there"));
    }
    return done;
  }

  private synchronized void send() {
    while (!waiting.isEmpty() && underWay.size() < MOST_UNDER_WAY) {
      Waiting next = waiting.remove();
      underWay.add(next);
      within(next.call.get(), executor)
          .whenCompleteAsync((result, failure) -> ended(next, failure), executor);
      if (!barrierDue) {
        barrierDue = true;
        executor.execute(this::sendBarrier);
      }
    }
  }

  private void sendBarrier() {
    synchronized (this) {
      barrierDue = false;
    }
    var unused = barrier.get(); // What it confirms ends by itself.
  }

  private void ended(Waiting call, Throwable failure) {
    synchronized (this) {
      underWay.remove(call);
    }
    if (failure == null) {
      call.done.complete(null);
    } else {
      call.done.completeExceptionally(failure);
    }
    send();
  }

  /** The same, which fails after {@link #DEADLINE_NANOS}. */
  static <T> CompletableFuture<T> within(
      CompletableFuture<T> result, ScheduledExecutorService executor) {
    if (!result.isDone()) {
      var deadline =
          executor.schedule(
              () -> result.completeExceptionally(new TimeoutException("no answer")),
              DEADLINE_NANOS,
              NANOSECONDS);
      result.whenComplete((value, failure) -> deadline.cancel(false));
    }
    return result;
  }
}

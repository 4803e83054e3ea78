// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.ObjLongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.SluiceException;

/** Hands work to the engine's thread. */
final class EngineDesk {
  private static final Logger log = LoggerFactory.getLogger(EngineDesk.class);
  private static final long PATIENCE_MILLIS = 5000;

  /** News of hosts that wait; more come only when the engine's thread stands still. */
  private static final int MOST_NEWS = 30_000;

  private final Queue<ObjLongConsumer<DeadlineLoop>> work = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile boolean urgent;
  private volatile Runnable wake = () -> {};

  void setWake(Runnable value) {
    wake = value;
  }

  boolean isUrgent() {
    return urgent;
  }

  /** Has the engine's thread do something in its next step, or soon. */
  void post(boolean soon, ObjLongConsumer<DeadlineLoop> task) {
    waiting.incrementAndGet();
    work.add(task);
    if (soon) {
      urgent = true;
      wake.run();
    }
  }

  /** As {@link #post}, for what another one like it makes up for; not done if too much waits. */
  void offer(boolean soon, ObjLongConsumer<DeadlineLoop> news) {
    if (waiting.get() < MOST_NEWS) {
      post(soon, news);
    }
  }

  /** Has the engine's thread find something out. */
  <T> CompletableFuture<T> askLater(BiFunction<DeadlineLoop, Long, T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    post(
        true,
        (loop, now) -> {
          try {
            answer.complete(question.apply(loop, now));
          } catch (RuntimeException e) {
            answer.completeExceptionally(e);
          }
        });
    return answer;
  }

  /**
   * As {@link #askLater}, and waits for the answer.
   *
   * @throws SluiceException UNAVAILABLE if none comes
   */
  <T> T ask(BiFunction<DeadlineLoop, Long, T> question) throws SluiceException {
    try {
      return askLater(question).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw FlowCheck.unavailable("The controller is too busy to decide about flows");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw FlowCheck.unavailable("The controller is stopping");
    } catch (ExecutionException e) {
      log.error("A question about flows failed", e.getCause());
      throw FlowCheck.unavailable("The question about flows failed: " + e.getCause());
    }
  }

  /** Does all that waits. For the engine's thread. */
  void work(DeadlineLoop loop, long nowNanos) {
    urgent = false;
    for (ObjLongConsumer<DeadlineLoop> task = work.poll(); task != null; task = work.poll()) {
      waiting.decrementAndGet();
      try {
        task.accept(loop, nowNanos);
      } catch (RuntimeException e) {
        log.error("News of flows could not be taken in", e);
      }
    }
  }
}

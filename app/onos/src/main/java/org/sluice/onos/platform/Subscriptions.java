// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.Function;
import org.onosproject.event.Event;
import org.onosproject.event.EventListener;
import org.onosproject.event.ListenerService;
import org.sluice.core.runtime.Execution;

/**
 * Whom of ONOS's services we listen to. ONOS ends a listener that has taken two seconds for an
 * event, without a word to it: each is registered again and again, which changes nothing for those
 * that ONOS has.
 */
final class Subscriptions {
  /** ONOS's own limit is 1.8 s. */
  static final long SLOW_NANOS = SECONDS.toNanos(1);

  private static final long SHOWN_NANOS = MINUTES.toNanos(10);
  private static final long RENEW_SECONDS = 5;

  private final Execution execution;
  private final List<Subscription<?, ?>> all = new CopyOnWriteArrayList<>();
  private final Map<String, Slow> slow = new ConcurrentHashMap<>();
  private ScheduledExecutorService executor;

  Subscriptions(Execution execution) {
    this.execution = execution;
  }

  /** When a listener was slow last, and how long it took. */
  private static final class Slow {
    final long atNanos;
    final long tookNanos;

    Slow(long atNanos, long tookNanos) {
      this.atNanos = atNanos;
      this.tookNanos = tookNanos;
    }
  }

  private final class Subscription<E extends Event<?, ?>, L extends EventListener<E>> {
    final ListenerService<E, L> service;
    final Runnable catchUp;
    final L listener;
    volatile boolean wasSlow;

    Subscription(
        ListenerService<E, L> service,
        Consumer<E> handler,
        Function<Consumer<E>, L> adapter,
        Runnable catchUp) {
      this.service = service;
      this.catchUp = catchUp;
      listener = adapter.apply(event -> handle(handler, event));
    }

    private void handle(Consumer<E> handler, E event) {
      long begun = execution.clock().nanoTime();
      try {
        handler.accept(event);
      } finally {
        long now = execution.clock().nanoTime();
        if (now - begun > SLOW_NANOS) {
          wasSlow = true;
          slow.put(event.getClass().getSimpleName(), new Slow(now, now - begun));
        }
      }
    }

    /** Its events may have gone to nobody meanwhile. */
    void renew() {
      boolean mayHaveMissed = wasSlow;
      wasSlow = false;
      service.addListener(listener);
      if (mayHaveMissed) {
        catchUp.run();
      }
    }

    void end() {
      service.removeListener(listener);
    }
  }

  /**
   * Listens to a service.
   *
   * @param adapter makes a listener of the service's kind: {@code handler -> handler::accept}
   * @param catchUp what is to be done where events may have been missed
   */
  <E extends Event<?, ?>, L extends EventListener<E>> void add(
      ListenerService<E, L> service,
      Consumer<E> handler,
      Function<Consumer<E>, L> adapter,
      Runnable catchUp) {
    Subscription<E, L> added = new Subscription<>(service, handler, adapter, catchUp);
    all.add(added);
    service.addListener(added.listener);
    if (executor == null) {
      executor = execution.sequential("onos-listeners");
      executor.scheduleWithFixedDelay(
          () -> all.forEach(Subscription::renew), RENEW_SECONDS, RENEW_SECONDS, SECONDS);
    }
  }

  /** Has something done as often as listeners are registered again; once one listens. */
  void regularly(Runnable work) {
    executor.scheduleWithFixedDelay(work, RENEW_SECONDS, RENEW_SECONDS, SECONDS);
  }

  /** Which listeners took so long in the last minutes that ONOS has ended them, or nearly. */
  Optional<String> slow() {
    long now = execution.clock().nanoTime();
    slow.values().removeIf(each -> now - each.atNanos > SHOWN_NANOS);
    return slow.entrySet().stream()
        .map(
            each -> each.getKey() + " (" + NANOSECONDS.toMillis(each.getValue().tookNanos) + " ms)")
        .sorted()
        .reduce((one, other) -> one + ", " + other);
  }

  /** Listens no longer. */
  void end() {
    if (executor != null) {
      executor.shutdownNow();
      executor = null;
    }
    all.forEach(Subscription::end);
    all.clear();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.core.runtime.Execution;
import org.sluice.core.spi.CapMeter;
import org.sluice.forwarding.spi.MeterTable;

/**
 * Has switches let through what is decided, by the meters that stand. On a thread of its own: a cap
 * lasts as long as forwarding may take to evaluate all of its rules.
 *
 * <p>Open vSwitch fills a meter's bucket whenever it changes. So a standing cap changes seldom, and
 * not for little; it begins and ends at once.
 */
public final class CapRates {
  /** A standing cap changes no sooner: each change lets a bucket through. */
  public static final long CHANGE_NANOS = SECONDS.toNanos(1);

  /** Nor by less than one part in so many. */
  static final long LEAST_PART = 20;

  private static final long STOP_MILLIS = 1000;

  private static final Logger log = LoggerFactory.getLogger(CapRates.class);

  private final MeterTable table;
  private final Execution execution;
  private final LongSupplier clockNanos;
  private final ScheduledExecutorService executor;
  private final AtomicBoolean due = new AtomicBoolean();

  /** Every meter that stands, with what it is for; empty: nothing any more. */
  private final Map<String, Map<Long, Optional<PortPair>>> standing = new ConcurrentHashMap<>();

  /** Switches that have refused to change a meter, since they came. */
  private final Set<String> refused = ConcurrentHashMap.newKeySet();

  private final Consumer<String> refusalListener;
  private volatile Map<PortPair, Long> wantedBitsPerSecond = Map.of();

  // The executor's thread alone:
  private final Map<String, Map<Long, Sent>> sent = new HashMap<>();
  private boolean again;

  /** What a switch was sent last about a meter. */
  private static final class Sent {
    final long kilobitsPerSecond;
    final long atNanos;

    Sent(long kilobitsPerSecond, long atNanos) {
      this.kilobitsPerSecond = kilobitsPerSecond;
      this.atNanos = atNanos;
    }
  }

  /**
   * Changes nothing yet.
   *
   * @param refusalListener receives switches that have refused to change a meter, on any thread
   */
  CapRates(MeterTable table, Execution execution, Consumer<String> refusalListener) {
    this.refusalListener = refusalListener;
    this.table = table;
    this.execution = execution;
    clockNanos = execution.clock()::nanoTime;
    executor = execution.sequential("caps");
    table.setRefusalListener(
        (datapath, meter) -> executor.execute(() -> wasRefused(datapath, meter)));
  }

  /** Replaces all rates, bit/s; pairs without one let everything through. */
  void want(Map<PortPair, Long> bitsPerSecond) {
    if (!bitsPerSecond.equals(wantedBitsPerSecond)) {
      wantedBitsPerSecond = bitsPerSecond;
      followSoon();
    }
  }

  /** Replaces the meters of a switch. */
  void stand(String datapath, CapMeterTable.Standing now) {
    Map<Long, Optional<PortPair>> meters = new HashMap<>();
    now.unneeded().forEach(meter -> meters.put(meter, Optional.empty()));
    now.usable().forEach((pair, meter) -> meters.put(meter, Optional.of(pair)));
    if (!now.renewed().isEmpty()) {
      executor.execute(() -> forget(datapath, now.renewed()));
    }
    boolean hasNone = meters.isEmpty() && standing.get(datapath) == null;
    if (!hasNone) {
      standing.put(datapath, meters);
      followSoon(); // What could not be sent is tried again by that, too.
    }
  }

  /** The switch went away, or is another node's, or has no meters any more. */
  void lose(String datapath) {
    if (standing.remove(datapath) != null) {
      executor.execute(() -> sent.remove(datapath));
    }
    refused.remove(datapath);
  }

  /** Whether a switch has refused to change a meter, since it came. */
  boolean isRefusedBy(String datapath) {
    return refused.contains(datapath);
  }

  /** Lets everything through as far as switches can be reached, and ends. */
  void stop() {
    wantedBitsPerSecond = Map.of();
    try {
      execution.await(executor.submit(() -> follow()), MILLISECONDS.toNanos(STOP_MILLIS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log.error("Not all caps could be lifted", e);
    }
    executor.shutdownNow();
  }

  private void followSoon() {
    if (due.compareAndSet(false, true)) {
      executor.execute(this::follow);
    }
  }

  private void wasRefused(String datapath, Long meter) {
    Sent last = sent.getOrDefault(datapath, Map.of()).get(meter);
    if (last != null && refused.add(datapath)) {
      log.warn(
          "Switch {} does not change meters: it is sent another one for each rate of a cap",
          datapath);
      refusalListener.accept(datapath);
    }
  }

  private void forget(String datapath, Set<Long> meters) {
    sent.getOrDefault(datapath, new HashMap<>()).keySet().removeAll(meters);
  }

  private void follow() {
    due.set(false);
    try {
      standing.forEach(
          (datapath, meters) -> {
            if (!isRefusedBy(datapath)) {
              follow(datapath, meters);
            }
          });
      if (again && !executor.isShutdown()) {
        again = false;
        executor.schedule(this::followSoon, CHANGE_NANOS, NANOSECONDS);
      }
    } catch (RuntimeException e) {
      log.error("Caps could not be updated; retrying at the next decision", e);
    }
  }

  private void follow(String datapath, Map<Long, Optional<PortPair>> meters) {
    Map<Long, Sent> ofSwitch = sent.computeIfAbsent(datapath, d -> new HashMap<>());
    ofSwitch.keySet().retainAll(meters.keySet());
    Map<PortPair, Long> wanted = wantedBitsPerSecond;
    meters.forEach(
        (meter, pair) -> {
          long bitsPerSecond =
              pair.map(each -> wanted.getOrDefault(each, CapMeter.UNLIMITED))
                  .orElse(CapMeter.UNLIMITED);
          send(datapath, ofSwitch, meter, kilobits(bitsPerSecond));
        });
  }

  private void send(String datapath, Map<Long, Sent> ofSwitch, Long meter, long kilobitsPerSecond) {
    Sent last = ofSwitch.get(meter);
    long now = clockNanos.getAsLong();
    if (last != null && !isDue(last, kilobitsPerSecond, now)) {
      return;
    }
    long burst =
        kilobitsPerSecond == CapMeterTable.OPEN_KILOBITS_PER_SECOND
            ? CapMeterTable.OPEN_BURST_KILOBITS
            : SwitchMeters.burst(kilobitsPerSecond);
    if (table.change(datapath, meter, kilobitsPerSecond, burst)) {
      ofSwitch.put(meter, new Sent(kilobitsPerSecond, now));
    } else {
      ofSwitch.remove(meter);
    }
  }

  private boolean isDue(Sent last, long kilobitsPerSecond, long now) {
    if (kilobitsPerSecond == last.kilobitsPerSecond) {
      return false;
    }
    if (isOpen(kilobitsPerSecond) || isOpen(last.kilobitsPerSecond)) {
      return true;
    }
    if (!isWorthAChange(last.kilobitsPerSecond, kilobitsPerSecond)) {
      return false;
    }
    boolean isTime = now - last.atNanos >= CHANGE_NANOS;
    again |= !isTime;
    return isTime;
  }

  /** Whether a standing cap is to have another rate. */
  static boolean isWorthAChange(long before, long now) {
    return Math.abs(now - before) * LEAST_PART >= before;
  }

  private static boolean isOpen(long kilobitsPerSecond) {
    return kilobitsPerSecond == CapMeterTable.OPEN_KILOBITS_PER_SECOND;
  }

  /** What OpenFlow counts in. */
  private static long kilobits(long bitsPerSecond) {
    return bitsPerSecond == CapMeter.UNLIMITED
        ? CapMeterTable.OPEN_KILOBITS_PER_SECOND
        : Math.min(CapMeterTable.OPEN_KILOBITS_PER_SECOND, Math.max(1, bitsPerSecond / 1000));
  }
}

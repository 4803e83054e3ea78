// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.sluice.forwarding.spi.MeterTable;

/**
 * Caps of switches that refuse to change a meter: each pair of ports has a meter only while it is
 * held back, and another one for each rate. A cap begins and changes later than by {@link
 * CapRates}, by as long as a meter takes to stand.
 *
 * <p>Not thread-safe but for {@link #isRefusedBy}.
 */
final class CapRenewals {
  /**
   * Rates of these meters end so, kbit/s, by which they are known among others: they are rounded
   * down to that.
   */
  private static final long LAST_DIGIT = 7;

  private static final int DIGITS = 10;

  private final RenewedMeters<PortPair> meters;
  private final LongSupplier clockNanos;
  private final Map<String, Map<PortPair, Rate>> rates = new HashMap<>();
  private final Map<String, Set<PortPair>> without = new HashMap<>();
  private boolean waiting;

  /** What a pair is held to. */
  private static final class Rate {
    final long kilobitsPerSecond;
    final long atNanos;

    Rate(long kilobitsPerSecond, long atNanos) {
      this.kilobitsPerSecond = kilobitsPerSecond;
      this.atNanos = atNanos;
    }
  }

  CapRenewals(MeterTable meters, LongSupplier clockNanos) {
    this.clockNanos = clockNanos;
    this.meters =
        new RenewedMeters<>(
            meters,
            clockNanos,
            meter -> isOfCap(meter.kilobitsPerSecond()),
            "long flows there are not held back for short ones");
  }

  static boolean isOfCap(long kilobitsPerSecond) {
    return kilobitsPerSecond % DIGITS == LAST_DIGIT;
  }

  /**
   * The meters of a switch that rules may use now.
   *
   * @param bitsPerSecond what pairs are held to; those that are not held back are left out
   */
  Map<PortPair, Long> ensure(String datapath, Map<PortPair, Long> bitsPerSecond) {
    Map<PortPair, Rate> before = rates.getOrDefault(datapath, Map.of());
    Map<PortPair, Rate> now = new HashMap<>();
    Map<PortPair, Long> kilobits = new HashMap<>();
    Set<PortPair> beyond = new HashSet<>();
    new TreeMap<>(bitsPerSecond)
        .forEach(
            (pair, wanted) -> {
              if (now.size() == CapMeterTable.MOST_PAIRS) {
                beyond.add(pair);
                return;
              }
              Rate rate = follow(before.get(pair), kilobits(wanted));
              now.put(pair, rate);
              kilobits.put(pair, rate.kilobitsPerSecond);
            });
    rates.put(datapath, now);
    Map<PortPair, Long> usable = meters.ensure(datapath, kilobits);
    if (meters.isRefusedBy(datapath)) {
      beyond.addAll(now.keySet());
      beyond.removeAll(usable.keySet());
    }
    without.put(datapath, beyond);
    return usable;
  }

  private Rate follow(Rate before, long kilobitsPerSecond) {
    long nowNanos = clockNanos.getAsLong();
    if (before == null) {
      return new Rate(kilobitsPerSecond, nowNanos);
    }
    if (!CapRates.isWorthAChange(before.kilobitsPerSecond, kilobitsPerSecond)) {
      return before;
    }
    boolean isTime = nowNanos - before.atNanos >= CapRates.CHANGE_NANOS;
    waiting |= !isTime;
    return isTime ? new Rate(kilobitsPerSecond, nowNanos) : before;
  }

  private static long kilobits(long bitsPerSecond) {
    long kilobits = Math.min(CapMeterTable.OPEN_KILOBITS_PER_SECOND, bitsPerSecond / 1000);
    return Math.max(LAST_DIGIT, kilobits - Math.floorMod(kilobits - LAST_DIGIT, DIGITS));
  }

  /** Pairs of the last call for which a switch has no meter, nor will soon. */
  Set<PortPair> without(String datapath) {
    return without.getOrDefault(datapath, Set.of());
  }

  /** Whether meters have been sent lately, or a rate waits: to be evaluated again soon. */
  boolean takeWaiting() {
    boolean areMetersWaiting = meters.takeWaiting();
    boolean was = waiting || areMetersWaiting;
    waiting = false;
    return was;
  }

  boolean isRefusedBy(String datapath) {
    return meters.isRefusedBy(datapath);
  }

  void removeAll(String datapath) {
    meters.removeAll(datapath);
    clear(datapath);
  }

  void returned(String datapath) {
    meters.returned(datapath);
  }

  void forget(String datapath) {
    meters.forget(datapath);
    clear(datapath);
  }

  void lose(String datapath) {
    meters.lose(datapath);
    clear(datapath);
  }

  private void clear(String datapath) {
    rates.remove(datapath);
    without.remove(datapath);
  }
}

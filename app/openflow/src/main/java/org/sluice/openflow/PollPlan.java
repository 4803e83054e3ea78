// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sluice.api.counters.CounterTargets;

/**
 * Decides what to read of one switch, and when. Time is an argument, in nanoseconds from any
 * origin.
 *
 * <p>A mark meter is read every 5 ms while it counts marks or the link it watches is busy, a port
 * while it is busy or somebody watches it. Else the period doubles up to 100 ms, and up to 1 s for
 * a port that carries nothing. What is read more often than every 100 ms is paid from one budget,
 * all else from another; where a budget does not suffice, periods stretch alike, those of meters
 * four times less. So a switch never costs more than both together, and a quiet one no more than
 * the second, however many ports it has.
 *
 * <p>Not thread-safe.
 */
final class PollPlan {
  /** For what is hot, OpenFlow bits per second in both directions. */
  static final long HOT_BITS_PER_SECOND = 860_000;

  /** For what is not: with the depths, a little below 100 kbit/s over any second. */
  static final long QUIET_BITS_PER_SECOND = 90_000;

  /** From this share of its capacity on, a port is busy: marks or losses may come at any time. */
  static final double BUSY_SHARE = 0.5;

  private static final long HOT_DEPTH_BITS = 16_000;
  private static final long QUIET_DEPTH_BITS = 4_000;
  private static final int METER_WEIGHT = 4;
  private static final int PORT_WEIGHT = 1;

  private final TokenBucket hot = new TokenBucket(HOT_BITS_PER_SECOND, HOT_DEPTH_BITS);
  private final TokenBucket quiet = new TokenBucket(QUIET_BITS_PER_SECOND, QUIET_DEPTH_BITS);
  private final Map<Long, PollItem> ports = new HashMap<>();
  private final Map<Long, PollItem> meters = new HashMap<>();
  private final Map<Long, Boolean> busyIn = new HashMap<>();
  private CounterTargets targets = CounterTargets.of(Map.of(), Map.of());
  private TokenBucket charged = quiet;

  /** Reads these from now on; those that were read before keep their periods. */
  void setTargets(CounterTargets now, long nowNanos) {
    targets = now;
    ports.keySet().retainAll(now.portCapacities().keySet());
    busyIn.keySet().retainAll(now.portCapacities().keySet());
    meters.keySet().retainAll(now.markMeters().keySet());
    for (Long port : now.portCapacities().keySet()) {
      ports.computeIfAbsent(
          port,
          p -> new PollItem(new PollRequest(PollRequest.Kind.PORT, p), PORT_WEIGHT, nowNanos));
    }
    for (Long meter : now.markMeters().keySet()) {
      meters.computeIfAbsent(
          meter,
          m -> new PollItem(new PollRequest(PollRequest.Kind.METER, m), METER_WEIGHT, nowNanos));
    }
  }

  /** Reads a port every 5 ms until then; an unknown port is left alone. */
  void watch(long port, long untilNanos, long nowNanos) {
    PollItem item = ports.get(port);
    if (item != null) {
      item.watch(untilNanos, nowNanos);
    }
  }

  /** What to ask for now, which counts as asked; empty: nothing is due, or the budget is spent. */
  Optional<PollRequest> next(long nowNanos) {
    for (TokenBucket bucket : List.of(hot, quiet)) {
      PollItem item = mostUrgent(bucket, nowNanos);
      if (item != null && item.isDue(nowNanos) && bucket.holds(item.bits(), nowNanos)) {
        bucket.take(item.bits());
        charged = bucket;
        item.asked(nowNanos);
        return Optional.of(item.request());
      }
    }
    return Optional.empty();
  }

  /** When to ask for something again at the earliest; {@code Long.MAX_VALUE}: never. */
  long nextNanos(long nowNanos) {
    long wait = Long.MAX_VALUE;
    for (TokenBucket bucket : List.of(hot, quiet)) {
      PollItem item = mostUrgent(bucket, nowNanos);
      if (item != null) {
        long readyNanos = bucket.readyNanos(item.bits(), nowNanos);
        wait = Math.min(wait, Math.max(item.dueNanos() - nowNanos, readyNanos - nowNanos));
      }
    }
    return wait == Long.MAX_VALUE ? wait : nowNanos + Math.max(0, wait);
  }

  /** The reply to the last request was longer than expected: the budget pays for it. */
  void charge(long moreBytes) {
    charged.take(8 * moreBytes);
  }

  /**
   * A port was read.
   *
   * @param moved whether a packet went through since the reading before
   */
  void portRead(
      long port, boolean moved, double rxBitsPerSecond, double txBitsPerSecond, long nowNanos) {
    PollItem item = ports.get(port);
    if (item == null) {
      return;
    }
    double busyBitsPerSecond = targets.portCapacities().get(port) * BUSY_SHARE;
    boolean busyRx = busyBitsPerSecond > 0 && rxBitsPerSecond >= busyBitsPerSecond;
    boolean busyTx = busyBitsPerSecond > 0 && txBitsPerSecond >= busyBitsPerSecond;
    busyIn.put(port, busyRx);
    if (busyRx) {
      heatMetersBehind(port, nowNanos);
    }
    if (busyRx || busyTx || item.isWatched(nowNanos)) {
      item.heat(nowNanos);
    } else {
      item.cool(moved ? PollItem.QUIET_NANOS : PollItem.IDLE_NANOS, nowNanos);
    }
  }

  /** A mark meter was read. */
  void meterRead(long meter, long packets, long nowNanos) {
    PollItem item = meters.get(meter);
    if (item == null) {
      return;
    }
    if (packets > 0 || busyIn.getOrDefault(targets.markMeters().get(meter), false)) {
      item.heat(nowNanos);
    } else {
      item.cool(PollItem.QUIET_NANOS, nowNanos);
    }
  }

  /** The switch does not have it: it is asked for seldom, in case it comes. */
  void missing(PollRequest request, long nowNanos) {
    PollItem item =
        (request.kind() == PollRequest.Kind.PORT ? ports : meters).get(request.number());
    while (item != null && item.periodNanos() < PollItem.IDLE_NANOS) {
      item.cool(PollItem.IDLE_NANOS, nowNanos);
    }
  }

  private void heatMetersBehind(long port, long nowNanos) {
    targets
        .markMeters()
        .forEach(
            (meter, inPort) -> {
              if (inPort == port) {
                meters.get(meter).heat(nowNanos);
              }
            });
  }

  /**
   * Who is next to be paid from a budget: the most urgent of those that are due, else the one that
   * is due first. It is waited for even if others would cost less, else those would go on for ever.
   */
  private PollItem mostUrgent(TokenBucket bucket, long nowNanos) {
    PollItem best = null;
    for (Map<Long, PollItem> kind : List.of(meters, ports)) {
      for (PollItem item : kind.values()) {
        if (item.isHot() == (bucket == hot) && (best == null || precedes(item, best, nowNanos))) {
          best = item;
        }
      }
    }
    return best;
  }

  private static boolean precedes(PollItem one, PollItem other, long nowNanos) {
    if (one.isDue(nowNanos) && other.isDue(nowNanos)) {
      return one.urgency(nowNanos) > other.urgency(nowNanos);
    }
    return one.dueNanos() - other.dueNanos() < 0;
  }
}

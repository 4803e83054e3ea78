// SPDX-License-Identifier: Apache-2.0
package org.sluice.polling;

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
 * a port that carries nothing. Where several are due, one request for all ports or all meters takes
 * their place as soon as it is shorter.
 *
 * <p>What is read more often than every 100 ms is paid from one budget, quiet meters and quiet
 * ports from one each, by what goes over the wire; where a budget does not suffice, periods stretch
 * alike. So a switch never costs more than all together, and a quiet one no more than the latter
 * two, however many ports it has.
 *
 * <p>Not thread-safe.
 */
public final class PollPlan {
  /** For what is hot, bits per second on the wire in both directions. */
  static final long HOT_BITS_PER_SECOND = 860_000;

  /** For quiet meters, and once more for quiet ports. */
  static final long QUIET_BITS_PER_SECOND = 42_000;

  /** From this share of its capacity on, a port is busy: marks or losses may come at any time. */
  static final double BUSY_SHARE = 0.5;

  private static final long HOT_DEPTH_BITS = 16_000;
  private static final long QUIET_DEPTH_BITS = 4_000;
  private static final int METER_WEIGHT = 4;
  private static final int PORT_WEIGHT = 1;

  private final PollTable meters = new PollTable(PollRequest.Kind.METER, METER_WEIGHT);
  private final PollTable ports = new PollTable(PollRequest.Kind.PORT, PORT_WEIGHT);
  private final List<Budget> budgets =
      List.of(
          new Budget(HOT_BITS_PER_SECOND, HOT_DEPTH_BITS, true, meters, ports),
          new Budget(QUIET_BITS_PER_SECOND, QUIET_DEPTH_BITS, false, meters),
          new Budget(QUIET_BITS_PER_SECOND, QUIET_DEPTH_BITS, false, ports));
  private final Map<Long, Boolean> busyIn = new HashMap<>();
  private CounterTargets targets = CounterTargets.of(Map.of(), Map.of());
  private Budget charged = budgets.get(0);
  private long chargedBits;

  /** What is read of some tables, and paid from one bucket. */
  private static final class Budget {
    private final TokenBucket bucket;
    private final boolean hot;
    private final long mostBits;
    private final List<PollTable> tables;

    Budget(long bitsPerSecond, long depthBits, boolean hot, PollTable... tables) {
      this.bucket = new TokenBucket(bitsPerSecond, depthBits);
      this.hot = hot;
      // What is quiet may wait for a second; what is hot must not wait for a long reply.
      this.mostBits = hot ? depthBits : Long.MAX_VALUE;
      this.tables = List.of(tables);
    }

    /**
     * Who is next to be paid: the most urgent of those that are due, else the one that is due
     * first. It is waited for even if others would cost less, else those would go on for ever.
     */
    PollItem mostUrgent(long nowNanos) {
      PollItem best = null;
      for (PollTable table : tables) {
        for (PollItem item : table.items()) {
          if (item.isHot() == hot && (best == null || precedes(item, best, nowNanos))) {
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

  /** Reads these from now on; those that were read before keep their periods. */
  public void setTargets(CounterTargets now, long nowNanos) {
    targets = now;
    busyIn.keySet().retainAll(now.portCapacities().keySet());
    ports.setNumbers(now.portCapacities().keySet(), nowNanos);
    meters.setNumbers(now.markMeters().keySet(), nowNanos);
  }

  /** Reads a port every 5 ms until then; an unknown port is left alone. */
  public void watch(long port, long untilNanos, long nowNanos) {
    ports.find(port).ifPresent(item -> item.watch(untilNanos, nowNanos));
  }

  /**
   * What to request now, which counts as requested; empty: nothing is due, or the budget is spent.
   */
  public Optional<PollRequest> next(long nowNanos) {
    for (Budget budget : budgets) {
      PollItem item = budget.mostUrgent(nowNanos);
      if (item == null || !item.isDue(nowNanos)) {
        continue;
      }
      PollTable table = table(item.request());
      PollRequest request = table.requestFor(item, budget.mostBits, nowNanos);
      long bits = table.expectedBits(request, budget.hot);
      if (budget.bucket.holds(bits, nowNanos)) {
        budget.bucket.take(bits);
        charged = budget;
        chargedBits = bits;
        table.requested(request, item, nowNanos);
        return Optional.of(request);
      }
    }
    return Optional.empty();
  }

  /** When to request something again at the earliest; {@code Long.MAX_VALUE}: never. */
  public long nextNanos(long nowNanos) {
    long wait = Long.MAX_VALUE;
    for (Budget budget : budgets) {
      PollItem item = budget.mostUrgent(nowNanos);
      if (item != null) {
        PollTable table = table(item.request());
        long dueInNanos = Math.max(0, item.dueNanos() - nowNanos);
        PollRequest request = table.requestFor(item, budget.mostBits, nowNanos + dueInNanos);
        long bits = table.expectedBits(request, budget.hot);
        long readyInNanos = budget.bucket.readyNanos(bits, nowNanos) - nowNanos;
        wait = Math.min(wait, Math.max(dueInNanos, readyInNanos));
      }
    }
    return wait == Long.MAX_VALUE ? wait : nowNanos + wait;
  }

  /** The last request was answered, in so many OpenFlow bytes: the budget pays for what it was. */
  public void replied(PollRequest request, long replyBytes) {
    charged.bucket.take(WireCost.bits(replyBytes, charged.hot) - chargedBits);
    if (request.isForAll()) {
      table(request).allTake(replyBytes);
    }
  }

  private PollTable table(PollRequest request) {
    return request.kind() == PollRequest.Kind.PORT ? ports : meters;
  }

  /**
   * A port was read.
   *
   * @param moved whether a packet went through since the reading before
   */
  public void portRead(
      long port, boolean moved, double rxBitsPerSecond, double txBitsPerSecond, long nowNanos) {
    PollItem item = ports.find(port).orElse(null);
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
  public void meterRead(long meter, long packets, long nowNanos) {
    PollItem item = meters.find(meter).orElse(null);
    if (item == null) {
      return;
    }
    if (packets > 0 || busyIn.getOrDefault(targets.markMeters().get(meter), false)) {
      item.heat(nowNanos);
    } else {
      item.cool(PollItem.QUIET_NANOS, nowNanos);
    }
  }

  /** The switch does not have it: it is requested seldom, in case it comes. */
  public void missing(PollRequest request, long nowNanos) {
    for (PollItem item : table(request).items()) {
      boolean meant = request.isForAll() || item.request().number() == request.number();
      while (meant && item.periodNanos() < PollItem.IDLE_NANOS) {
        item.cool(PollItem.IDLE_NANOS, nowNanos);
      }
    }
  }

  private void heatMetersBehind(long port, long nowNanos) {
    targets
        .markMeters()
        .forEach(
            (meter, inPort) -> {
              if (inPort == port) {
                meters.find(meter).ifPresent(item -> item.heat(nowNanos));
              }
            });
  }
}

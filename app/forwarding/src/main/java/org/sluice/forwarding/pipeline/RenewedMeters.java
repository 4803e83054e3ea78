// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.sluice.forwarding.pipeline.SwitchMeters.Sent;
import org.sluice.forwarding.spi.Meter;
import org.sluice.forwarding.spi.MeterTable;

/**
 * Meters that keep the rate with which they were made. For another one another meter is made, the
 * rules are led through it, and only then the old one is taken back, since a switch drops rules
 * with the meter that they use. For the same reason a meter that nobody knows any more, of an
 * earlier life or of another master, takes its rules along.
 *
 * <p>Not thread-safe but for {@link #isRefusedBy}.
 *
 * @param <K> what has a meter on a switch
 */
class RenewedMeters<K> {
  private final SwitchMeters meters;
  private final Map<String, Map<K, Assigned>> assigned = new HashMap<>();
  private final Set<String> refused = ConcurrentHashMap.newKeySet();
  private boolean waiting;

  /** The meter of one of them. */
  private static final class Assigned {
    /** The one that its rules use; null: none yet. */
    Sent used;

    /** The one that takes its place; null: none does. */
    Sent next;

    /** Some meter was refused: those count no more of which the switch has not said they stand. */
    void refuse(Map<Long, Meter> own) {
      used = used != null && used.hasStood(own) ? used : null;
      next = next != null && next.hasStood(own) ? next : null;
    }
  }

  RenewedMeters(
      MeterTable meters, LongSupplier clockNanos, Predicate<Meter> isOfKind, String consequence) {
    this.meters = new SwitchMeters(meters, clockNanos, isOfKind, consequence);
  }

  /**
   * The meters of a switch that rules may use now. Requests those that are missing or have another
   * rate, gives back those that nobody needs.
   */
  final Map<K, Long> ensure(String datapath, Map<K, Long> kilobitsPerSecond) {
    Map<Long, Meter> own = meters.own(datapath);
    Map<K, Assigned> all = assigned.computeIfAbsent(datapath, d -> new HashMap<>());
    Map<K, Long> usable = new HashMap<>();
    Set<Long> needed = new HashSet<>();
    refused.remove(datapath);
    if (meters.takeRefusal(datapath)) {
      all.values().forEach(its -> its.refuse(own));
    }
    kilobitsPerSecond.forEach(
        (each, rate) -> {
          Assigned its = all.computeIfAbsent(each, e -> new Assigned());
          follow(datapath, its, rate, own);
          if (its.used != null) {
            usable.put(each, its.used.id);
            needed.add(its.used.id);
          }
          if (its.next != null) {
            needed.add(its.next.id);
            waiting = true;
          }
        });
    all.keySet().retainAll(kilobitsPerSecond.keySet());
    Set<Long> unneeded = new HashSet<>(own.keySet());
    unneeded.removeAll(needed);
    meters.withdraw(datapath, unneeded, EdgeMeters.RETIRE_NANOS);
    return usable;
  }

  private void follow(String datapath, Assigned its, long kilobitsPerSecond, Map<Long, Meter> own) {
    if (its.used != null && !meters.isThere(its.used, own)) {
      its.used = null;
    }
    if (its.next != null && !meters.isThere(its.next, own)) {
      its.next = null;
    }
    if (its.next != null && meters.isUsable(datapath, its.next, own)) {
      its.used = its.next;
      its.next = null;
    }
    boolean isRight = its.used != null && its.used.kilobitsPerSecond == kilobitsPerSecond;
    if (its.next == null && !isRight) {
      Optional<Sent> made =
          meters.submit(datapath, kilobitsPerSecond, SwitchMeters.burst(kilobitsPerSecond));
      made.ifPresent(sent -> its.next = sent);
      if (made.isEmpty()) {
        refused.add(datapath);
      }
    }
  }

  /**
   * Whether meters have been sent lately: to be evaluated again after {@link
   * SwitchMeters#SETTLE_NANOS}.
   */
  final boolean takeWaiting() {
    boolean was = waiting;
    waiting = false;
    return was;
  }

  /** Whether a switch took none of the meters that were last requested of it. */
  final boolean isRefusedBy(String datapath) {
    return refused.contains(datapath);
  }

  /** Takes back all own meters of a switch. */
  final void removeAll(String datapath) {
    meters.withdrawAll(datapath);
    forget(datapath);
  }

  final void returned(String datapath) {
    meters.returned(datapath);
  }

  /** The switch went away. */
  final void forget(String datapath) {
    meters.forget(datapath);
    lose(datapath);
  }

  /** The switch is another node's by now, which makes meters of its own. */
  final void lose(String datapath) {
    assigned.remove(datapath);
    meters.lose(datapath);
    refused.remove(datapath);
  }
}

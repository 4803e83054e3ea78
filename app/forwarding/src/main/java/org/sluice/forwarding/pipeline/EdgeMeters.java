// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.sluice.core.silent.LimitGroups.Group;
import org.sluice.forwarding.pipeline.SwitchMeters.Sent;
import org.sluice.forwarding.spi.Meter;
import org.sluice.forwarding.spi.MeterTable;

/**
 * Meters that hold endpoints to a rate where they enter the network. Not every platform keeps a
 * changed rate: for another one another meter is made, the rules are led through it, and only then
 * the old one is taken back, since a switch drops rules with the meter that they use. For the same
 * reason a meter that nobody knows any more, of an earlier life or of another master, takes its
 * rules along.
 *
 * <p>Not thread-safe but for {@link #isRefusedBy}.
 */
public final class EdgeMeters {
  /** So long after the rules were led past it a meter is taken back. */
  public static final long RETIRE_NANOS = SECONDS.toNanos(5);

  private final SwitchMeters meters;
  private final Map<String, Map<String, Assigned>> assigned = new HashMap<>();
  private final Set<String> refused = ConcurrentHashMap.newKeySet();
  private boolean waiting;

  /** The meter of a group. */
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

  EdgeMeters(MeterTable meters, LongSupplier clockNanos) {
    this.meters =
        new SwitchMeters(
            meters,
            clockNanos,
            meter -> !CeMeters.isMarkMeter(meter) && !CapMeterTable.isCapMeter(meter),
            "endpoints of silent agents there are not limited at their edge ports");
  }

  /**
   * The meters of a switch that rules may use now, by name of their group. Requests those that are
   * missing or have another rate, gives back those that nobody needs.
   */
  Map<String, Long> ensure(String datapath, Collection<Group> groups) {
    Map<Long, Meter> own = meters.own(datapath);
    Map<String, Assigned> all = assigned.computeIfAbsent(datapath, d -> new HashMap<>());
    Map<String, Long> usable = new HashMap<>();
    Set<Long> needed = new HashSet<>();
    Set<String> names = new HashSet<>();
    refused.remove(datapath);
    if (meters.takeRefusal(datapath)) {
      all.values().forEach(its -> its.refuse(own));
    }
    for (Group group : groups) {
      names.add(group.name());
      Assigned its = all.computeIfAbsent(group.name(), name -> new Assigned());
      follow(datapath, its, kilobits(group.bitsPerSecond()), own);
      if (its.used != null) {
        usable.put(group.name(), its.used.id);
        needed.add(its.used.id);
      }
      if (its.next != null) {
        needed.add(its.next.id);
        waiting = true;
      }
    }
    all.keySet().retainAll(names);
    Set<Long> unneeded = new HashSet<>(own.keySet());
    unneeded.removeAll(needed);
    meters.withdraw(datapath, unneeded, RETIRE_NANOS);
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
  boolean takeWaiting() {
    boolean was = waiting;
    waiting = false;
    return was;
  }

  /** Whether a switch took none of the meters that were last requested of it. */
  boolean isRefusedBy(String datapath) {
    return refused.contains(datapath);
  }

  /** Takes back all own meters of a switch. */
  void removeAll(String datapath) {
    meters.withdrawAll(datapath);
    forget(datapath);
  }

  void returned(String datapath) {
    meters.returned(datapath);
  }

  /** The switch went away. */
  void forget(String datapath) {
    meters.forget(datapath);
    lose(datapath);
  }

  /** The switch is another node's by now, which makes meters of its own. */
  void lose(String datapath) {
    assigned.remove(datapath);
    meters.lose(datapath);
    refused.remove(datapath);
  }

  /** What OpenFlow counts in; never a rate by which meters of another kind are known. */
  private static long kilobits(long bitsPerSecond) {
    long kilobits = Math.max(1, bitsPerSecond / 1000);
    boolean isOfOthers = CeMeters.isMarkRate(kilobits) || CapMeterTable.isCapRate(kilobits);
    return isOfOthers ? kilobits - 1 : kilobits;
  }
}

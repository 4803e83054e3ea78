// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import com.google.auto.value.AutoValue;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.sluice.forwarding.pipeline.SwitchMeters.Sent;
import org.sluice.forwarding.spi.Meter;
import org.sluice.forwarding.spi.MeterTable;

/**
 * A meter of its own for each pair of ports between which a switch may have to hold traffic back.
 * It is made so that it drops nothing, and stays as long as the pair is wanted; {@link CapRates}
 * changes what it lets through. What an earlier life or another master left is taken back.
 *
 * <p>Not thread-safe but for {@link #isRefusedBy}.
 */
public final class CapMeterTable {
  /**
   * With that rate they are made, by which they are known among others. Beyond every port, and
   * little enough for every Open vSwitch: see {@link CeMeters}.
   */
  public static final long OPEN_KILOBITS_PER_SECOND = 1_999_000_000L;

  /** One millisecond of the rate. */
  static final long OPEN_BURST_KILOBITS = OPEN_KILOBITS_PER_SECOND / 1000;

  /** So many a switch has at most: pairs beyond are not held back. */
  public static final int MOST_PAIRS = 256;

  private final SwitchMeters meters;
  private final Map<String, Map<PortPair, Sent>> assigned = new HashMap<>();
  private final Map<String, Map<Long, Long>> lives = new HashMap<>();
  private final Set<String> refused = ConcurrentHashMap.newKeySet();
  private boolean waiting;

  /** The meters of a switch that stand. */
  @AutoValue
  abstract static class Standing {
    static Standing of(
        Map<PortPair, Long> usable, Set<PortPair> without, Set<Long> unneeded, Set<Long> renewed) {
      return new AutoValue_CapMeterTable_Standing(usable, without, unneeded, renewed);
    }

    /** Rules may use these. */
    abstract Map<PortPair, Long> usable();

    /** For these the switch has none, nor will soon. */
    abstract Set<PortPair> without();

    /** Nobody wants these any more; they go soon. */
    abstract Set<Long> unneeded();

    /**
     * The platform gave these back to a switch that had lost them: they have their first rate
     * again.
     */
    abstract Set<Long> renewed();
  }

  CapMeterTable(MeterTable meters, LongSupplier clockNanos) {
    this.meters =
        new SwitchMeters(
            meters,
            clockNanos,
            meter -> meter.kilobitsPerSecond() == OPEN_KILOBITS_PER_SECOND,
            "long flows there are not held back for short ones");
  }

  /** Whether a meter of the application is for such a pair. */
  static boolean isCapMeter(Meter meter) {
    return isCapRate(meter.kilobitsPerSecond());
  }

  /** Whether only such meters are made with a rate. */
  static boolean isCapRate(long kilobitsPerSecond) {
    return kilobitsPerSecond == OPEN_KILOBITS_PER_SECOND || CapRenewals.isOfCap(kilobitsPerSecond);
  }

  /** Requests the meters that are missing, and gives back those that nobody needs. */
  Standing ensure(String datapath, Collection<PortPair> wanted) {
    Map<Long, Meter> own = meters.own(datapath);
    Map<PortPair, Sent> all = assigned.computeIfAbsent(datapath, d -> new HashMap<>());
    refused.remove(datapath);
    if (meters.takeRefusal(datapath)) {
      all.values().removeIf(sent -> !sent.hasStood(own));
    }
    all.values().removeIf(sent -> !meters.isThere(sent, own));
    Set<PortPair> pairs = new TreeSet<>(wanted);
    submitMissing(datapath, pairs, all);
    Map<PortPair, Long> usable = new HashMap<>();
    Set<PortPair> without = new HashSet<>();
    Set<Long> needed = new HashSet<>();
    for (PortPair pair : pairs) {
      Sent sent = all.get(pair);
      if (sent == null) {
        without.add(pair);
      } else {
        needed.add(sent.id);
        if (meters.isUsable(datapath, sent, own)) {
          usable.put(pair, sent.id);
        } else {
          waiting = true;
        }
      }
    }
    Set<Long> unneeded = new HashSet<>(own.keySet());
    unneeded.removeAll(needed);
    Set<Long> withdrawn = meters.withdraw(datapath, unneeded, EdgeMeters.RETIRE_NANOS);
    all.values().removeIf(sent -> withdrawn.contains(sent.id));
    return Standing.of(usable, without, unneeded, renewed(datapath, own));
  }

  private void submitMissing(String datapath, Set<PortPair> pairs, Map<PortPair, Sent> all) {
    for (PortPair pair : pairs) {
      if (!all.containsKey(pair)) {
        Optional<Sent> made =
            all.size() < MOST_PAIRS
                ? meters.submit(datapath, OPEN_KILOBITS_PER_SECOND, OPEN_BURST_KILOBITS)
                : Optional.empty();
        if (made.isEmpty()) {
          refused.add(datapath);
          return;
        }
        all.put(pair, made.get());
      }
    }
  }

  /** Those that have stood for less time than at the last evaluation. */
  private Set<Long> renewed(String datapath, Map<Long, Meter> own) {
    Map<Long, Long> before = lives.computeIfAbsent(datapath, d -> new HashMap<>());
    Set<Long> renewed = new HashSet<>();
    own.forEach(
        (id, meter) -> {
          Long life = before.put(id, meter.lifeSeconds());
          if (life != null && meter.lifeSeconds() < life) {
            renewed.add(id);
          }
        });
    before.keySet().retainAll(own.keySet());
    return renewed;
  }

  /** Whether meters have been sent lately: to be evaluated again soon. */
  boolean takeWaiting() {
    boolean was = waiting;
    waiting = false;
    return was;
  }

  /**
   * Whether a switch took none of those that were last requested of it, or has as many as it may.
   */
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
    lives.remove(datapath);
    refused.remove(datapath);
  }
}

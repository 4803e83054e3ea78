// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.sluice.api.PortId;
import org.sluice.forwarding.spi.Meter;
import org.sluice.forwarding.spi.MeterTable;
import org.sluice.forwarding.spi.RuleTable;
import org.sluice.forwarding.spi.Treatment;

/**
 * One never-limiting meter per port from another switch. It counts the marked packets that arrive
 * there: meter counters are live where flow counters lag by half a second. Meters outlive the
 * controller on the switch, so that those of an earlier life are found and used again. Where a
 * switch has no meters it goes without.
 *
 * <p>Not thread-safe.
 */
public final class CeMeters {
  /**
   * 2 Tbit/s: beyond every port, so that the band never drops. It is also as much as every Open
   * vSwitch can count with: up to 2.15, and in Linux's datapath, what a millisecond brings has to
   * fit the bucket, and twice the bucket into 32 bits of bit.
   */
  public static final long RATE_KILOBITS_PER_SECOND = 2_000_000_000L;

  /** What earlier versions took for beyond every port. */
  private static final long EARLIER_RATE_KILOBITS_PER_SECOND = 4_000_000;

  /** One millisecond of the rate. */
  public static final long BURST_KILOBITS = RATE_KILOBITS_PER_SECOND / 1000;

  /** Links take a while to be found; a meter that seems surplus may be needed then. */
  private static final long SURPLUS_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final SwitchMeters meters;
  private final RuleTable rules;
  private final Map<PortId, Long> assigned = new HashMap<>();

  CeMeters(MeterTable meters, RuleTable rules, LongSupplier clockNanos) {
    this.meters =
        new SwitchMeters(
            meters, clockNanos, CeMeters::isMarkMeter, "marks there are counted by hosts alone");
    this.rules = rules;
  }

  /**
   * The meters that stand on a switch, by ingress port; requests those that are missing, gives back
   * those that nobody needs.
   */
  Map<PortId, Long> ensure(String datapath, Collection<PortId> ports) {
    Map<Long, Meter> own = meters.own(datapath);
    Set<Long> free = new HashSet<>(own.keySet());
    free.removeIf(meter -> !hasRate(own.get(meter), RATE_KILOBITS_PER_SECOND));
    Map<PortId, Long> chosen = choose(datapath, ports, free);
    Set<Long> surplus = new HashSet<>(own.keySet());
    surplus.removeAll(chosen.values());
    Map<PortId, Long> standing = new TreeMap<>();
    chosen.forEach(
        (port, meter) -> {
          if (own.containsKey(meter) && meters.stands(datapath, own.get(meter))) {
            standing.put(port, meter);
          }
        });
    meters.withdraw(datapath, surplus, SURPLUS_NANOS);
    return standing;
  }

  /** Whether a meter of the application counts marks, and limits nobody. */
  static boolean isMarkMeter(Meter meter) {
    return isMarkRate(meter.kilobitsPerSecond());
  }

  /** Whether only meters that count marks have a rate. */
  static boolean isMarkRate(long kilobitsPerSecond) {
    return kilobitsPerSecond == RATE_KILOBITS_PER_SECOND
        || kilobitsPerSecond == EARLIER_RATE_KILOBITS_PER_SECOND;
  }

  /** One of an earlier version may drop: another takes its place. */
  private static boolean hasRate(Meter meter, long kilobitsPerSecond) {
    return meter.kilobitsPerSecond() == kilobitsPerSecond;
  }

  /** The switch came, or came back. */
  void returned(String datapath) {
    meters.returned(datapath);
  }

  private Map<PortId, Long> choose(String datapath, Collection<PortId> ports, Set<Long> free) {
    Map<PortId, Long> chosen = new HashMap<>();
    Map<PortId, Long> inRules = inRules(rules, datapath);
    List<PortId> without = new ArrayList<>();
    for (PortId port : ports) {
      Long meter = assigned.getOrDefault(port, inRules.get(port));
      if (meter != null && free.remove(meter)) {
        chosen.put(port, meter);
      } else {
        without.add(port);
      }
    }
    for (PortId port : without) {
      Long meter = free.isEmpty() ? submit(datapath) : lowest(free);
      if (meter != null) {
        free.remove(meter);
        chosen.put(port, meter);
      }
    }
    assigned.keySet().removeIf(point -> point.datapath().equals(datapath));
    assigned.putAll(chosen);
    return chosen;
  }

  private static Long lowest(Set<Long> ids) {
    return Collections.min(ids);
  }

  /** Takes back all own meters of a switch. */
  void removeAll(String datapath) {
    meters.withdrawAll(datapath);
    forget(datapath);
  }

  /** The switch went away: what it refused it may take when it comes back, perhaps empty. */
  void forget(String datapath) {
    meters.forget(datapath);
    assigned.keySet().removeIf(point -> point.datapath().equals(datapath));
  }

  /** Which meter the rules of a switch use for which port, those of an earlier life among them. */
  public static Map<PortId, Long> inRules(RuleTable table, String datapath) {
    Map<PortId, Long> found = new HashMap<>();
    for (RuleTable.Entry entry : table.entries(datapath)) {
      OptionalLong port =
          entry
              .key()
              .filter(Pipeline::countsMarks)
              .map(key -> key.match().inPort())
              .orElse(OptionalLong.empty());
      OptionalLong meter = entry.treatment().map(Treatment::meter).orElse(OptionalLong.empty());
      if (port.isPresent() && meter.isPresent()) {
        found.put(PortId.of(datapath, port.getAsLong()), meter.getAsLong());
      }
    }
    return found;
  }

  private Long submit(String datapath) {
    return meters
        .submit(datapath, RATE_KILOBITS_PER_SECOND, BURST_KILOBITS)
        .map(sent -> sent.id)
        .orElse(null);
  }
}

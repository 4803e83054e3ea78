// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.onosproject.core.ApplicationId;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.DeviceId;
import org.onosproject.net.PortNumber;
import org.onosproject.net.flow.FlowEntry;
import org.onosproject.net.flow.FlowRuleService;
import org.onosproject.net.flow.criteria.Criterion;
import org.onosproject.net.flow.criteria.PortCriterion;
import org.onosproject.net.flow.instructions.Instructions;
import org.onosproject.net.meter.Meter;
import org.onosproject.net.meter.MeterId;
import org.onosproject.net.meter.MeterService;

/**
 * One never-limiting meter per port from another switch. It counts the marked packets that arrive
 * there: meter counters are live where flow counters lag by half a second. Meters outlive ONOS, in
 * its store and on the switch, so that those of an earlier life are found and used again. Where a
 * switch has no meters it goes without.
 *
 * <p>Not thread-safe.
 */
final class CeMeters {
  /**
   * 2 Tbit/s: beyond every port, so that the band never drops. It is also as much as every Open
   * vSwitch can count with: up to 2.15, and in Linux's datapath, what a millisecond brings has to
   * fit the bucket, and twice the bucket into 32 bits of bit.
   */
  static final long RATE_KILOBITS_PER_SECOND = 2_000_000_000L;

  /** What earlier versions took for beyond every port. */
  private static final long EARLIER_RATE_KILOBITS_PER_SECOND = 4_000_000;

  /** One millisecond of the rate. */
  static final long BURST_KILOBITS = RATE_KILOBITS_PER_SECOND / 1000;

  /** Links take a while to be found; a meter that seems surplus may be needed then. */
  private static final long SURPLUS_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final SwitchMeters meters;
  private final FlowRuleService flows;
  private final ApplicationId application;
  private final LongSupplier clockNanos;
  private final Map<ConnectPoint, MeterId> assigned = new HashMap<>();
  private final Map<DeviceId, Map<MeterId, Long>> surplusSince = new HashMap<>();

  CeMeters(
      MeterService meters,
      FlowRuleService flows,
      ApplicationId application,
      LongSupplier clockNanos) {
    this.meters =
        new SwitchMeters(
            meters,
            application,
            clockNanos,
            CeMeters::isMarkMeter,
            "marks there are counted by hosts alone");
    this.flows = flows;
    this.application = application;
    this.clockNanos = clockNanos;
  }

  /**
   * The meters that stand on a switch, by ingress port; requests those that are missing, gives back
   * those that nobody needs.
   */
  Map<PortNumber, MeterId> ensure(DeviceId device, Collection<PortNumber> ports) {
    Map<MeterId, Meter> own = meters.own(device);
    Set<MeterId> free = new HashSet<>(own.keySet());
    free.removeIf(meter -> !hasRate(own.get(meter), RATE_KILOBITS_PER_SECOND));
    Map<PortNumber, MeterId> chosen = choose(device, ports, free);
    free.addAll(own.keySet());
    free.removeAll(chosen.values());
    Map<PortNumber, MeterId> standing = new TreeMap<>(Comparator.comparing(PortNumber::toLong));
    chosen.forEach(
        (port, meter) -> {
          if (own.containsKey(meter) && meters.stands(device, own.get(meter))) {
            standing.put(port, meter);
          }
        });
    giveBack(device, free, own);
    return standing;
  }

  /** Whether a meter of the application counts marks, and limits nobody. */
  static boolean isMarkMeter(Meter meter) {
    return meter.bands().stream().allMatch(band -> isMarkRate(band.rate()));
  }

  /** Whether only meters that count marks have a rate. */
  static boolean isMarkRate(long kilobitsPerSecond) {
    return kilobitsPerSecond == RATE_KILOBITS_PER_SECOND
        || kilobitsPerSecond == EARLIER_RATE_KILOBITS_PER_SECOND;
  }

  /** One of an earlier version may drop: another takes its place. */
  private static boolean hasRate(Meter meter, long kilobitsPerSecond) {
    return meter.bands().stream().allMatch(band -> band.rate() == kilobitsPerSecond);
  }

  /** The switch came, or came back. */
  void returned(DeviceId device) {
    meters.returned(device);
  }

  private Map<PortNumber, MeterId> choose(
      DeviceId device, Collection<PortNumber> ports, Set<MeterId> free) {
    Map<PortNumber, MeterId> chosen = new HashMap<>();
    Map<PortNumber, MeterId> inRules = inRules(device);
    List<PortNumber> without = new ArrayList<>();
    for (PortNumber port : ports) {
      MeterId meter = assigned.getOrDefault(new ConnectPoint(device, port), inRules.get(port));
      if (meter != null && free.remove(meter)) {
        chosen.put(port, meter);
      } else {
        without.add(port);
      }
    }
    for (PortNumber port : without) {
      MeterId meter = free.isEmpty() ? submit(device) : lowest(free);
      if (meter != null) {
        free.remove(meter);
        chosen.put(port, meter);
      }
    }
    assigned.keySet().removeIf(point -> point.deviceId().equals(device));
    chosen.forEach((port, meter) -> assigned.put(new ConnectPoint(device, port), meter));
    return chosen;
  }

  private static MeterId lowest(Set<MeterId> ids) {
    return ids.stream().min(Comparator.comparing(MeterId::id)).orElseThrow();
  }

  /** Takes back all own meters of a switch. */
  void removeAll(DeviceId device) {
    meters.own(device).keySet().forEach(meter -> meters.withdraw(device, meter));
    forget(device);
  }

  /** The switch went away: what it refused it may take when it comes back, perhaps empty. */
  void forget(DeviceId device) {
    meters.forget(device);
    surplusSince.remove(device);
    assigned.keySet().removeIf(point -> point.deviceId().equals(device));
  }

  /** Which meter the rules of an earlier life use for which port. */
  private Map<PortNumber, MeterId> inRules(DeviceId device) {
    Map<PortNumber, MeterId> found = new HashMap<>();
    for (FlowEntry entry : flows.getFlowEntries(device)) {
      if (entry.appId() == application.id() && entry.priority() == Pipeline.CE_PRIORITY) {
        Criterion port = entry.selector().getCriterion(Criterion.Type.IN_PORT);
        for (Instructions.MeterInstruction meter : entry.treatment().meters()) {
          found.put(((PortCriterion) port).port(), meter.meterId());
        }
      }
    }
    return found;
  }

  private MeterId submit(DeviceId device) {
    return meters.submit(device, RATE_KILOBITS_PER_SECOND, BURST_KILOBITS).orElse(null);
  }

  private void giveBack(DeviceId device, Set<MeterId> surplus, Map<MeterId, Meter> own) {
    Map<MeterId, Long> since = surplusSince.computeIfAbsent(device, d -> new HashMap<>());
    since.keySet().retainAll(surplus);
    long now = clockNanos.getAsLong();
    for (MeterId meter : surplus) {
      since.putIfAbsent(meter, now);
      if (now - since.get(meter) >= SURPLUS_NANOS && own.containsKey(meter)) {
        meters.withdraw(device, meter);
      }
    }
  }
}

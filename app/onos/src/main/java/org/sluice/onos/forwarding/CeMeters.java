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
import org.onosproject.net.meter.Band;
import org.onosproject.net.meter.DefaultBand;
import org.onosproject.net.meter.DefaultMeterRequest;
import org.onosproject.net.meter.Meter;
import org.onosproject.net.meter.MeterCellId;
import org.onosproject.net.meter.MeterContext;
import org.onosproject.net.meter.MeterFailReason;
import org.onosproject.net.meter.MeterId;
import org.onosproject.net.meter.MeterRequest;
import org.onosproject.net.meter.MeterService;
import org.onosproject.net.meter.MeterState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

  /** After a switch refused a meter it is asked again, in case it was only not ready. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** Links take a while to be found; a meter that seems surplus may be needed then. */
  private static final long SURPLUS_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** Switches that do not tell how long a meter has stood are trusted after that. */
  private static final long CONFIRMED_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final Logger log = LoggerFactory.getLogger(CeMeters.class);

  private final MeterService meters;
  private final FlowRuleService flows;
  private final ApplicationId application;
  private final LongSupplier clockNanos;
  private final Map<ConnectPoint, MeterId> assigned = new HashMap<>();
  private final Map<DeviceId, Long> refusedUntil = new HashMap<>();
  private final Map<DeviceId, Map<MeterId, Long>> surplusSince = new HashMap<>();
  private final Map<DeviceId, Unconfirmed> unconfirmed = new HashMap<>();

  /** Meters of which the switch has not told since it came back, by how long each had stood. */
  private static final class Unconfirmed {
    private final Map<MeterId, Long> lives = new HashMap<>();
    private long untilNanos;

    Unconfirmed(long untilNanos) {
      this.untilNanos = untilNanos;
    }
  }

  CeMeters(
      MeterService meters,
      FlowRuleService flows,
      ApplicationId application,
      LongSupplier clockNanos) {
    this.meters = meters;
    this.flows = flows;
    this.application = application;
    this.clockNanos = clockNanos;
  }

  /**
   * The meters that stand on a switch, by ingress port; asks for those that are missing, gives back
   * those that nobody needs.
   */
  Map<PortNumber, MeterId> ensure(DeviceId device, Collection<PortNumber> ports) {
    Map<MeterId, Meter> own = own(device);
    Set<MeterId> free = new HashSet<>(own.keySet());
    free.removeIf(meter -> !hasRate(own.get(meter), RATE_KILOBITS_PER_SECOND));
    Map<PortNumber, MeterId> chosen = choose(device, ports, free);
    free.addAll(own.keySet());
    free.removeAll(chosen.values());
    Map<PortNumber, MeterId> standing = new TreeMap<>(Comparator.comparing(PortNumber::toLong));
    chosen.forEach(
        (port, meter) -> {
          if (own.containsKey(meter)
              && own.get(meter).state() == MeterState.ADDED
              && isConfirmed(device, own.get(meter))) {
            standing.put(port, meter);
          }
        });
    giveBack(device, free, own);
    return standing;
  }

  /** One of an earlier version may drop: another takes its place. */
  private static boolean hasRate(Meter meter, long kilobitsPerSecond) {
    return meter.bands().stream().allMatch(band -> band.rate() == kilobitsPerSecond);
  }

  /**
   * The switch came, or came back. ONOS's store says that meters stand which an emptied switch does
   * not have, and gives them back with the next statistics: a rule that came first would be
   * refused.
   */
  void returned(DeviceId device) {
    unconfirmed.computeIfAbsent(device, this::unconfirmed).untilNanos =
        clockNanos.getAsLong() + CONFIRMED_NANOS;
  }

  private Unconfirmed unconfirmed(DeviceId device) {
    Unconfirmed now = new Unconfirmed(clockNanos.getAsLong() + CONFIRMED_NANOS);
    own(device).forEach((id, meter) -> now.lives.put(id, meter.life()));
    return now;
  }

  private boolean isConfirmed(DeviceId device, Meter meter) {
    Unconfirmed at = unconfirmed.get(device);
    if (at == null) {
      return true;
    }
    if (clockNanos.getAsLong() - at.untilNanos >= 0) {
      unconfirmed.remove(device);
      return true;
    }
    Long life = at.lives.get((MeterId) meter.meterCellId());
    return life == null || life != meter.life();
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
    own(device).keySet().forEach(meter -> withdraw(device, meter));
    forget(device);
  }

  /** The switch went away: what it refused it may take when it comes back, perhaps empty. */
  void forget(DeviceId device) {
    refusedUntil.remove(device);
    surplusSince.remove(device);
    unconfirmed.put(device, unconfirmed(device));
    assigned.keySet().removeIf(point -> point.deviceId().equals(device));
  }

  /** Own meters that count marks, and stand or will. */
  private Map<MeterId, Meter> own(DeviceId device) {
    Map<MeterId, Meter> own = new HashMap<>();
    for (Meter meter : meters.getMeters(device)) {
      if (application.equals(meter.appId())
          && meter.state() != MeterState.PENDING_REMOVE
          && (hasRate(meter, RATE_KILOBITS_PER_SECOND)
              || hasRate(meter, EARLIER_RATE_KILOBITS_PER_SECOND))
          && meter.meterCellId() instanceof MeterId) {
        own.put((MeterId) meter.meterCellId(), meter);
      }
    }
    return own;
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
    if (refusedUntil.getOrDefault(device, Long.MIN_VALUE) > clockNanos.getAsLong()) {
      return null;
    }
    try {
      Meter meter = meters.submit(request(device, new Refusal(device)).add());
      return (MeterId) meter.meterCellId();
    } catch (RuntimeException e) {
      // The store has no identifier left to give: the switch said it has no meters.
      refused(device, e.toString());
      return null;
    }
  }

  private void refused(DeviceId device, String reason) {
    if (refusedUntil.put(device, clockNanos.getAsLong() + RETRY_NANOS) == null) {
      log.warn(
          "Switch {} takes no meter ({}): marks there are counted by hosts alone", device, reason);
    }
  }

  private void giveBack(DeviceId device, Set<MeterId> surplus, Map<MeterId, Meter> own) {
    Map<MeterId, Long> since = surplusSince.computeIfAbsent(device, d -> new HashMap<>());
    since.keySet().retainAll(surplus);
    long now = clockNanos.getAsLong();
    for (MeterId meter : surplus) {
      since.putIfAbsent(meter, now);
      if (now - since.get(meter) >= SURPLUS_NANOS && own.containsKey(meter)) {
        withdraw(device, meter);
      }
    }
  }

  private void withdraw(DeviceId device, MeterId meter) {
    meters.withdraw(request(device, new MeterContext() {}).remove(), (MeterCellId) meter);
  }

  private MeterRequest.Builder request(DeviceId device, MeterContext context) {
    Band band =
        DefaultBand.builder()
            .ofType(Band.Type.DROP)
            .withRate(RATE_KILOBITS_PER_SECOND)
            .burstSize(BURST_KILOBITS)
            .build();
    return DefaultMeterRequest.builder()
        .forDevice(device)
        .fromApp(application)
        .withUnit(Meter.Unit.KB_PER_SEC)
        .burst()
        .withBands(List.of(band))
        .withContext(context);
  }

  private static final class Refusal implements MeterContext {
    private final DeviceId device;

    Refusal(DeviceId device) {
      this.device = device;
    }

    @Override
    public void onError(MeterRequest request, MeterFailReason reason) {
      log.warn("Switch {} refused a meter: {}", device, reason);
    }
  }
}

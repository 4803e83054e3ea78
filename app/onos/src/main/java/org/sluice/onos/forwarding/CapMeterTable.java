// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

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
import org.onosproject.core.ApplicationId;
import org.onosproject.net.DeviceId;
import org.onosproject.net.meter.Meter;
import org.onosproject.net.meter.MeterId;
import org.onosproject.net.meter.MeterService;
import org.onosproject.net.meter.MeterState;

/**
 * A meter of its own for each pair of ports between which a switch may have to hold traffic back.
 * It is made so that it drops nothing, and stays as long as the pair is wanted; {@link CapRates}
 * changes what it lets through. What an earlier life or another master left is taken back.
 *
 * <p>Not thread-safe but for {@link #isRefusedBy}.
 */
final class CapMeterTable {
  /**
   * With that rate they are made, by which they are known in ONOS's store. Beyond every port, and
   * little enough for every Open vSwitch: see {@link CeMeters}.
   */
  static final long OPEN_KILOBITS_PER_SECOND = 1_999_000_000L;

  /** One millisecond of the rate. */
  static final long OPEN_BURST_KILOBITS = OPEN_KILOBITS_PER_SECOND / 1000;

  /** So many a switch has at most: pairs beyond are not held back. */
  static final int MOST_PAIRS = 256;

  private final SwitchMeters meters;
  private final LongSupplier clockNanos;
  private final Map<DeviceId, Map<PortPair, Sent>> assigned = new HashMap<>();
  private final Map<DeviceId, Map<MeterId, Long>> unneededSince = new HashMap<>();
  private final Map<DeviceId, Map<MeterId, Long>> lives = new HashMap<>();
  private final Set<DeviceId> refused = ConcurrentHashMap.newKeySet();
  private boolean waiting;

  /** A meter that was sent to a switch. */
  private static final class Sent {
    final MeterId id;
    final long atNanos;

    Sent(MeterId id, long atNanos) {
      this.id = id;
      this.atNanos = atNanos;
    }
  }

  /** The meters of a switch that stand. */
  @AutoValue
  abstract static class Standing {
    static Standing of(
        Map<PortPair, MeterId> usable,
        Set<PortPair> without,
        Set<MeterId> unneeded,
        Set<MeterId> renewed) {
      return new AutoValue_CapMeterTable_Standing(usable, without, unneeded, renewed);
    }

    /** Rules may use these. */
    abstract Map<PortPair, MeterId> usable();

    /** For these the switch has none, nor will soon. */
    abstract Set<PortPair> without();

    /** Nobody wants these any more; they go soon. */
    abstract Set<MeterId> unneeded();

    /** ONOS gave these back to a switch that had lost them: they have their first rate again. */
    abstract Set<MeterId> renewed();
  }

  CapMeterTable(MeterService meters, ApplicationId application, LongSupplier clockNanos) {
    this.meters =
        new SwitchMeters(
            meters,
            application,
            clockNanos,
            CapMeterTable::isCapMeter,
            "long flows there are not held back for short ones");
    this.clockNanos = clockNanos;
  }

  /** Whether a meter of the application is for such a pair. */
  static boolean isCapMeter(Meter meter) {
    return meter.bands().stream().allMatch(band -> isCapRate(band.rate()));
  }

  /** Whether only such meters are made with a rate. */
  static boolean isCapRate(long kilobitsPerSecond) {
    return kilobitsPerSecond == OPEN_KILOBITS_PER_SECOND;
  }

  /** Requests the meters that are missing, and gives back those that nobody needs. */
  Standing ensure(DeviceId device, Collection<PortPair> wanted) {
    Map<MeterId, Meter> own = meters.own(device);
    Map<PortPair, Sent> all = assigned.computeIfAbsent(device, d -> new HashMap<>());
    long now = clockNanos.getAsLong();
    refused.remove(device);
    if (meters.takeRefusal(device)) {
      all.values().removeIf(sent -> !hasStood(own.get(sent.id)));
    }
    all.values().removeIf(sent -> !isThere(sent, own, now));
    Set<PortPair> pairs = new TreeSet<>(wanted);
    submitMissing(device, pairs, all, now);
    Map<PortPair, MeterId> usable = new HashMap<>();
    Set<PortPair> without = new HashSet<>();
    Set<MeterId> needed = new HashSet<>();
    for (PortPair pair : pairs) {
      Sent sent = all.get(pair);
      if (sent == null) {
        without.add(pair);
      } else {
        needed.add(sent.id);
        if (isUsable(device, sent, own, now)) {
          usable.put(pair, sent.id);
        } else {
          waiting = true;
        }
      }
    }
    Set<MeterId> unneeded = new HashSet<>(own.keySet());
    unneeded.removeAll(needed);
    giveBack(device, unneeded, now);
    return Standing.of(usable, without, unneeded, renewed(device, own));
  }

  private void submitMissing(
      DeviceId device, Set<PortPair> pairs, Map<PortPair, Sent> all, long now) {
    for (PortPair pair : pairs) {
      if (!all.containsKey(pair)) {
        Optional<MeterId> made =
            all.size() < MOST_PAIRS
                ? meters.submit(device, OPEN_KILOBITS_PER_SECOND, OPEN_BURST_KILOBITS)
                : Optional.empty();
        if (made.isEmpty()) {
          refused.add(device);
          return;
        }
        all.put(pair, new Sent(made.get(), now));
      }
    }
  }

  private static boolean hasStood(Meter meter) {
    return meter != null && meter.state() == MeterState.ADDED;
  }

  /** One that the store does not have after a moment was refused, or taken away. */
  private static boolean isThere(Sent sent, Map<MeterId, Meter> own, long now) {
    return own.containsKey(sent.id) || now - sent.atNanos < EdgeMeters.SETTLE_NANOS;
  }

  private boolean isUsable(DeviceId device, Sent sent, Map<MeterId, Meter> own, long now) {
    Meter meter = own.get(sent.id);
    return meter != null
        && (meters.stands(device, meter) || now - sent.atNanos >= EdgeMeters.SETTLE_NANOS);
  }

  /** Those that have stood for less time than at the last evaluation. */
  private Set<MeterId> renewed(DeviceId device, Map<MeterId, Meter> own) {
    Map<MeterId, Long> before = lives.computeIfAbsent(device, d -> new HashMap<>());
    Set<MeterId> renewed = new HashSet<>();
    own.forEach(
        (id, meter) -> {
          Long life = before.put(id, meter.life());
          if (life != null && meter.life() < life) {
            renewed.add(id);
          }
        });
    before.keySet().retainAll(own.keySet());
    return renewed;
  }

  /** Rules were led past them before; a switch drops rules with the meter that they use. */
  private void giveBack(DeviceId device, Set<MeterId> unneeded, long now) {
    Map<MeterId, Long> since = unneededSince.computeIfAbsent(device, d -> new HashMap<>());
    since.keySet().retainAll(unneeded);
    for (MeterId meter : unneeded) {
      if (now - since.computeIfAbsent(meter, m -> now) >= EdgeMeters.RETIRE_NANOS) {
        meters.withdraw(device, meter);
        assigned.get(device).values().removeIf(sent -> sent.id.equals(meter));
      }
    }
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
  boolean isRefusedBy(DeviceId device) {
    return refused.contains(device);
  }

  /** Takes back all own meters of a switch. */
  void removeAll(DeviceId device) {
    meters.own(device).keySet().forEach(meter -> meters.withdraw(device, meter));
    forget(device);
  }

  void returned(DeviceId device) {
    meters.returned(device);
  }

  /** The switch went away. */
  void forget(DeviceId device) {
    meters.forget(device);
    lose(device);
  }

  /** The switch is another node's by now, which makes meters of its own. */
  void lose(DeviceId device) {
    assigned.remove(device);
    unneededSince.remove(device);
    lives.remove(device);
    refused.remove(device);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.core.spi.CapMeter;

/**
 * The meters that this node has switches cap with, where no agent keeps the upstream port. A
 * feeder's is made with its first cap, holds nothing back between two caps, and goes when no
 * background flow passes any longer. Engine thread only.
 */
final class CapMeterBook {
  /** Rules for new destinations are not changed for each flow. */
  private static final long DESTINATIONS_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Consumer<List<CapMeter>> platform;
  private int dscp;

  /** By upstream, then by downstream port. */
  private final TreeMap<PortId, TreeMap<PortId, Meter>> meters = new TreeMap<>();

  private boolean hasChanged;
  private long nextNanos = Long.MIN_VALUE;
  private List<CapMeter> asked = List.of();

  private static final class Meter {
    final Set<IpAddress> destinations = new HashSet<>();
    long bitsPerSecond;

    CapMeter of(PortId upstream, PortId downstream, int dscp) {
      return CapMeter.of(upstream, downstream, dscp, destinations, bitsPerSecond);
    }
  }

  /** One without meters; what it decides goes to the platform. */
  CapMeterBook(Consumer<List<CapMeter>> platform) {
    this.platform = platform;
  }

  /** Of the last level, from now on. */
  void setDscp(int value) {
    dscp = value;
  }

  void cap(PortId upstream, PortId downstream, long bitsPerSecond) {
    Meter meter =
        meters
            .computeIfAbsent(upstream, port -> new TreeMap<>())
            .computeIfAbsent(downstream, port -> new Meter());
    if (meter.bitsPerSecond != bitsPerSecond) {
      meter.bitsPerSecond = bitsPerSecond;
      hasChanged = true;
    }
  }

  /** A feeder has no cap any longer; nothing happens if it has no meter. */
  void restored(PortId upstream, PortId downstream) {
    Meter meter = find(upstream, downstream);
    if (meter != null && meter.bitsPerSecond != CapMeter.UNLIMITED) {
      meter.bitsPerSecond = CapMeter.UNLIMITED;
      hasChanged = true;
    }
  }

  /** Keeps those of ports that are this node's to meter. */
  void retain(Predicate<PortId> isOurs) {
    hasChanged |= meters.keySet().removeIf(isOurs.negate());
  }

  void clear() {
    hasChanged |= !meters.isEmpty();
    meters.clear();
  }

  boolean isEmpty() {
    return meters.isEmpty();
  }

  /** Brings the switches' meters to what was decided. */
  void flush(Collection<TrackedFlow> flows, long nowNanos) {
    boolean isDue = nextNanos == Long.MIN_VALUE || nowNanos - nextNanos >= 0;
    if (!hasChanged && (meters.isEmpty() || !isDue)) {
      return;
    }
    nextNanos = nowNanos + DESTINATIONS_NANOS;
    hasChanged = false;
    followFlows(flows);
    List<CapMeter> now = new ArrayList<>();
    meters.forEach(
        (upstream, all) ->
            all.forEach((downstream, meter) -> now.add(meter.of(upstream, downstream, dscp))));
    if (!now.equals(asked)) {
      asked = List.copyOf(now);
      platform.accept(asked);
    }
  }

  /** Each meter has the destinations of the background flows that pass; without any it goes. */
  private void followFlows(Collection<TrackedFlow> flows) {
    if (meters.isEmpty()) {
      return;
    }
    meters.values().forEach(all -> all.values().forEach(meter -> meter.destinations.clear()));
    for (TrackedFlow flow : flows) {
      for (Feeder feeder : flow.route.feeders) {
        Meter meter = find(feeder.upstream, feeder.downstream);
        if (meter != null) {
          meter.destinations.add(flow.key.destination());
        }
      }
    }
    meters.values().forEach(all -> all.values().removeIf(meter -> meter.destinations.isEmpty()));
    meters.values().removeIf(Map::isEmpty);
  }

  private Meter find(PortId upstream, PortId downstream) {
    TreeMap<PortId, Meter> all = meters.get(upstream);
    return all == null ? null : all.get(downstream);
  }
}

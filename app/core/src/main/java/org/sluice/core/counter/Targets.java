// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.counter;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.sluice.api.counters.CounterTargets;
import org.sluice.core.registry.Capacities;
import org.sluice.core.runtime.Clock;
import org.sluice.core.spi.PlatformCounters;

/**
 * What is to be read of a switch: every port that is up, and the meters behind Sluice's rules. Not
 * thread-safe.
 */
final class Targets {
  /** A switch may have thousands of rules: they are searched for meters not every second. */
  private static final long VALID_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Map<String, Known> known = new HashMap<>();
  private final Capacities capacities;
  private final PlatformCounters platform;
  private final Clock clock;

  Targets(Capacities capacities, PlatformCounters platform, Clock clock) {
    this.capacities = capacities;
    this.platform = platform;
    this.clock = clock;
  }

  /** The targets of a switch, as of now or some seconds ago. */
  CounterTargets of(String datapath) {
    long nowNanos = clock.nanoTime();
    long epoch = capacities.epoch().get();
    Known before = known.get(datapath);
    if (before != null && before.epoch == epoch && before.untilNanos - nowNanos > 0) {
      return before.targets;
    }
    CounterTargets now = find(datapath);
    known.put(datapath, new Known(now, epoch, nowNanos + VALID_NANOS));
    return now;
  }

  /** Forgets all other switches. */
  void retain(Set<String> datapaths) {
    known.keySet().retainAll(datapaths);
  }

  private CounterTargets find(String datapath) {
    Map<Long, Long> ports = new HashMap<>();
    capacities
        .all()
        .forEach(
            (port, capacity) -> {
              if (port.datapath().equals(datapath)) {
                ports.put(port.number(), capacity.bitsPerSecond());
              }
            });
    return CounterTargets.of(ports, platform.markMeters(datapath));
  }

  private static final class Known {
    private final CounterTargets targets;
    private final long epoch;
    private final long untilNanos;

    private Known(CounterTargets targets, long epoch, long untilNanos) {
      this.targets = targets;
      this.epoch = epoch;
      this.untilNanos = untilNanos;
    }
  }
}

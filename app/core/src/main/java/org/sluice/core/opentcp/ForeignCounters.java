// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.core.spi.Mastership;

/** Passes on what the platform reads of switches that other nodes are masters of. Thread-safe. */
final class ForeignCounters implements CounterListener {
  private final Mastership mastership;
  private final Consumer<PortSample> sink;

  /** The platform takes its time for each question. */
  private final Map<String, Boolean> mastered = new ConcurrentHashMap<>();

  private volatile long masteredEpoch = Long.MIN_VALUE;

  ForeignCounters(Mastership mastership, Consumer<PortSample> sink) {
    this.mastership = mastership;
    this.sink = sink;
  }

  @Override
  public void portRead(PortSample sample) {
    long epoch = mastership.epoch().get();
    if (epoch != masteredEpoch) {
      masteredEpoch = epoch;
      mastered.clear();
    }
    if (!mastered.computeIfAbsent(sample.port().datapath(), mastership::isLocal)) {
      sink.accept(sample);
    }
  }

  @Override
  public void meterRead(MeterSample sample) {
    // Marks are no drops.
  }
}

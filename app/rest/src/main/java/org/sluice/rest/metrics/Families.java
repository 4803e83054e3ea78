// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Metrics of one collection, each with its values. */
final class Families {
  private static final double BITS_PER_BYTE = 8;

  private final Map<String, String> helps = new LinkedHashMap<>();
  private final Map<String, List<GaugeDataPointSnapshot>> gauges = new LinkedHashMap<>();
  private final Map<String, List<CounterDataPointSnapshot>> counters = new LinkedHashMap<>();

  /**
   * A value that may fall.
   *
   * @param labels names and values in turn
   */
  void gauge(String name, String help, double value, String... labels) {
    helps.put(name, help);
    gauges
        .computeIfAbsent(name, key -> new ArrayList<>())
        .add(GaugeDataPointSnapshot.builder().value(value).labels(Labels.of(labels)).build());
  }

  /** A rate, converted to bytes. */
  void rate(String name, String help, long bitsPerSecond, String... labels) {
    gauge(name + "_bytes_per_second", help, bitsPerSecond / BITS_PER_BYTE, labels);
  }

  /** A count since the application's start; its name gets {@code _total}. */
  void counter(String name, String help, long value, String... labels) {
    helps.put(name, help);
    counters
        .computeIfAbsent(name, key -> new ArrayList<>())
        .add(CounterDataPointSnapshot.builder().value(value).labels(Labels.of(labels)).build());
  }

  MetricSnapshots snapshots() {
    MetricSnapshots.Builder all = MetricSnapshots.builder();
    gauges.forEach(
        (name, values) -> {
          GaugeSnapshot.Builder family = GaugeSnapshot.builder().name(name).help(helps.get(name));
          values.forEach(family::dataPoint);
          all.metricSnapshot(family.build());
        });
    counters.forEach(
        (name, values) -> {
          CounterSnapshot.Builder family =
              CounterSnapshot.builder().name(name).help(helps.get(name));
          values.forEach(family::dataPoint);
          all.metricSnapshot(family.build());
        });
    return all.build();
  }
}

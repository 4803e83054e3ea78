// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.marks;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.sluice.api.PortId;
import org.sluice.api.counters.MeterSample;
import org.sluice.engine.collections.IntList;
import org.sluice.engine.collections.LongIntMap;
import org.sluice.engine.state.PortTable;
import org.sluice.engine.statistics.Counters;
import org.sluice.engine.statistics.EngineStatistics.Figure;
import org.sluice.engine.time.SmoothedRate;

/**
 * What switches counted of CE packets that entered them, by entrance. Beside what came since the
 * last tick a sum over about {@link SmoothedRate#WINDOW_NANOS} is kept, because the meters of two
 * switches are never read at the same time.
 */
public final class MarkMeters {
  /** A sample over more than so long means little for now, ns. */
  static final long MAX_INTERVAL_NANOS = 1_000_000_000L;

  private static final long NEVER = Long.MIN_VALUE / 2;

  private final PortTable ports;
  private final Counters counters;

  /** By switch and number of the meter: row of its entrance. */
  private final Map<String, LongIntMap> entranceOf = new HashMap<>();

  private Map<String, Map<Long, Long>> known = Map.of();
  private final IntList metered = new IntList();
  private boolean[] hasMeter = {};
  private long[] marks = {};
  private long[] nanos = {};
  private long[] reportedAt = {};
  private double[] window = {};

  MarkMeters(PortTable ports, Counters counters) {
    this.ports = ports;
    this.counters = counters;
  }

  /**
   * Replaces what is known of meters.
   *
   * @param inPortsByMeter by switch: number of a meter to the port whose marked packets it counts
   */
  public void set(Map<String, Map<Long, Long>> inPortsByMeter) {
    if (inPortsByMeter.equals(known)) {
      return;
    }
    known = Map.copyOf(inPortsByMeter);
    entranceOf.clear();
    metered.clear();
    Arrays.fill(hasMeter, false);
    known.forEach(
        (datapath, meters) -> {
          LongIntMap rows = new LongIntMap();
          meters.forEach(
              (meter, inPort) -> {
                int entrance = ports.findOrAdd(PortId.of(datapath, inPort));
                follow();
                rows.put(meter, entrance);
                if (!hasMeter[entrance]) {
                  hasMeter[entrance] = true;
                  metered.add(entrance);
                }
              });
          entranceOf.put(datapath, rows);
        });
  }

  void follow() {
    int before = marks.length;
    if (before < ports.size()) {
      int size = ports.id.length;
      hasMeter = Arrays.copyOf(hasMeter, size);
      marks = Arrays.copyOf(marks, size);
      nanos = Arrays.copyOf(nanos, size);
      reportedAt = Arrays.copyOf(reportedAt, size);
      Arrays.fill(reportedAt, before, size, NEVER);
      window = Arrays.copyOf(window, size);
    }
  }

  /** Takes a sample in; one that makes no sense, or of an unknown meter, is counted and dropped. */
  public void take(MeterSample sample, long now) {
    LongIntMap rows = entranceOf.get(sample.datapath());
    int entrance = rows == null ? LongIntMap.ABSENT : rows.get(sample.meterId());
    boolean refused =
        entrance == LongIntMap.ABSENT
            || sample.packets() < 0
            || sample.intervalNanos() > MAX_INTERVAL_NANOS;
    if (refused) {
      counters.increment(Figure.COUNTER_SAMPLES_REFUSED);
      return;
    }
    counters.increment(Figure.COUNTER_SAMPLES);
    marks[entrance] += sample.packets();
    nanos[entrance] += sample.intervalNanos();
    reportedAt[entrance] = now;
  }

  /** Lets the past fade by what is left of it, and adds what came since the last tick. */
  void tick(double left) {
    for (int i = 0; i < metered.size(); i++) {
      int entrance = metered.get(i);
      window[entrance] = window[entrance] * left + marks[entrance];
    }
  }

  /** What came has been used. */
  void clear() {
    for (int i = 0; i < metered.size(); i++) {
      int entrance = metered.get(i);
      marks[entrance] = 0;
      nanos[entrance] = 0;
    }
  }

  IntList metered() {
    return metered;
  }

  boolean hasMeter(int entrance) {
    return hasMeter[entrance];
  }

  /** Marks since the last tick. */
  long marks(int entrance) {
    return marks[entrance];
  }

  /** What the samples since the last tick covered, ns; 0 without any. */
  long nanos(int entrance) {
    return nanos[entrance];
  }

  /** Engine time of the last sample, ns. */
  long reportedAt(int entrance) {
    return reportedAt[entrance];
  }

  /** Marks of about the last {@link SmoothedRate#WINDOW_NANOS}. */
  double window(int entrance) {
    return window[entrance];
  }
}

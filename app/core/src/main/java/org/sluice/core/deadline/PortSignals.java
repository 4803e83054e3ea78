// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.sluice.api.PortId;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.engine.Engine;
import org.sluice.engine.deadline.Deadlines;

/**
 * What is known of the queues of ports, and of what passes them without a grant. A port agent
 * reports its queue; elsewhere marks say that K was exceeded. For the engine's thread.
 */
final class PortSignals {
  /** An agent that reports less often is not relied on. */
  private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);

  private static final long MEASURE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Loads and reports are not of the same moments: only what lasts counts. */
  private static final int LASTING = 5;

  /** Acknowledgements and repeats pass without a grant too: so much is none of anybody's. */
  private static final double SLACK = 0.03;

  /** Rates are limited behind what is promised, but never quite. */
  private static final double LEFT_TO_OTHERS = 0.05;

  private final Engine engine;
  private final Deadlines deadlines;
  private final FlowPaths paths;

  /** What the queues of ports have space for, packets, as their agents report it. */
  private final Map<PortId, Integer> buffers = new HashMap<>();

  private final Map<PortId, Long> reportedNanos = new HashMap<>();
  private final Map<PortId, Passed> passed = new HashMap<>();
  private long measuredNanos = Long.MIN_VALUE;

  /** What passed a port lately without a grant. */
  private static final class Passed {
    private final double[] ungoverned = new double[LASTING];
    private double deliveredBytes;
    private int next;

    double least() {
      double least = Double.MAX_VALUE;
      for (double each : ungoverned) {
        least = Math.min(least, each);
      }
      return least;
    }
  }

  PortSignals(Engine engine, Deadlines deadlines, FlowPaths paths) {
    this.engine = engine;
    this.deadlines = deadlines;
    this.paths = paths;
  }

  /** Takes in what queues have space for, whether or not anybody has a deadline yet. */
  void learnBuffers(PortQueueObservation observation) {
    for (PortQueueSample sample : observation.ports()) {
      if (sample.bufferPackets() > 0) {
        buffers.put(sample.port(), sample.bufferPackets());
      }
    }
  }

  void observe(PortQueueObservation observation, long nowNanos) {
    for (PortQueueSample sample : observation.ports()) {
      if (paths.watched().contains(sample.port())) {
        reportedNanos.put(sample.port(), nowNanos);
        long payload = Math.round(sample.backlogBytes() * PortProfile.PAYLOAD_FRACTION);
        boolean lost = sample.droppedPackets() > 0;
        long threshold = paths.thresholdOf(sample.port());
        deadlines.queue(sample.port(), lost ? Math.max(threshold, payload) : payload, nowNanos);
      }
    }
  }

  /** Once in every control period. */
  void step(long nowNanos, boolean across) {
    boolean due = measuredNanos == Long.MIN_VALUE || nowNanos - measuredNanos >= MEASURE_NANOS;
    for (PortId port : paths.watched()) {
      Integer buffer = buffers.get(port);
      if (buffer != null) {
        deadlines.setBuffer(port, (double) buffer * PortProfile.SEGMENT_BYTES);
      }
      Long reported = reportedNanos.get(port);
      if (reported == null || nowNanos - reported > FRESH_NANOS) {
        boolean marked = engine.markedPart(port) > 0;
        deadlines.queue(port, marked ? paths.thresholdOf(port) : 0, nowNanos);
      }
      deadlines.setShared(port, across && engine.isShared(port));
      if (due || !passed.containsKey(port)) {
        measure(port, nowNanos, across);
      }
    }
    if (due) {
      measuredNanos = nowNanos;
    }
  }

  private void measure(PortId port, long nowNanos, boolean across) {
    double capacity = PortProfile.payloadBytesPerSecond(paths.capacityOf(port));
    double delivered = deadlines.deliveredThrough(port);
    boolean known = passed.containsKey(port);
    Passed before = passed.computeIfAbsent(port, p -> new Passed());
    if (known && nowNanos > measuredNanos) {
      double seconds = (nowNanos - measuredNanos) / 1e9;
      double governed = (delivered - before.deliveredBytes) / seconds;
      double load = PortProfile.payloadBytesPerSecond(engine.loadBitsPerSecond(port));
      before.ungoverned[before.next] = Math.max(0, load - governed - SLACK * capacity);
      before.next = (before.next + 1) % LASTING;
      deadlines.setUngoverned(port, before.least());
    }
    before.deliveredBytes = delivered;
    double guaranteed = PortProfile.payloadBytesPerSecond(engine.guaranteedBitsPerSecond(port));
    deadlines.setReserved(port, across ? guaranteed + LEFT_TO_OTHERS * capacity : 0, across);
  }
}

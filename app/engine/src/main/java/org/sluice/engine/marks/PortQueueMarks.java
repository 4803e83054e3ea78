// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.marks;

import java.util.Arrays;
import java.util.List;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.engine.collections.IntList;
import org.sluice.engine.state.PortTable;
import org.sluice.engine.statistics.Counters;
import org.sluice.engine.statistics.EngineStatistics.Figure;
import org.sluice.engine.time.SmoothedRate;

/**
 * What the port agents saw of their own queues, and hosts of the phantom queues of receive ports. A
 * packet that found more than the threshold is a mark of exactly that port, whether the queue marks
 * or not.
 */
public final class PortQueueMarks {
  private static final long NEVER = Long.MIN_VALUE / 2;

  private final PortTable ports;
  private final Counters counters;
  private final IntList reporting = new IntList();
  private long[] marks = {};
  private long[] packets = {};
  private long[] reportedAt = {};
  private double[] marksWindow = {};
  private double[] packetsWindow = {};

  PortQueueMarks(PortTable ports, Counters counters) {
    this.ports = ports;
    this.counters = counters;
  }

  void follow() {
    int before = reportedAt.length;
    if (before < ports.size()) {
      int size = ports.id.length;
      marks = Arrays.copyOf(marks, size);
      packets = Arrays.copyOf(packets, size);
      reportedAt = Arrays.copyOf(reportedAt, size);
      Arrays.fill(reportedAt, before, size, NEVER);
      marksWindow = Arrays.copyOf(marksWindow, size);
      packetsWindow = Arrays.copyOf(packetsWindow, size);
    }
  }

  /** Takes an observation in. Samples that make no sense are counted and dropped. */
  public void take(PortQueueObservation observation, long now) {
    List<PortQueueSample> samples = observation.ports();
    for (int i = 0; i < samples.size(); i++) {
      take(samples.get(i), now);
    }
  }

  private void take(PortQueueSample sample, long now) {
    int port = ports.find(sample.port());
    boolean refused =
        port < 0
            || port >= reportedAt.length
            || sample.sentPackets() < 0
            || sample.droppedPackets() < 0
            || sample.overThresholdPackets() < 0;
    if (refused) {
      counters.increment(Figure.COUNTER_SAMPLES_REFUSED);
      return;
    }
    counters.increment(Figure.COUNTER_SAMPLES);
    if (reportedAt[port] == NEVER) {
      reporting.add(port);
      ports.inUse.add(port);
    }
    marks[port] += sample.overThresholdPackets();
    packets[port] += sample.sentPackets() + sample.droppedPackets();
    reportedAt[port] = now;
  }

  void tick(double left) {
    for (int i = 0; i < reporting.size(); i++) {
      int port = reporting.get(i);
      marksWindow[port] = marksWindow[port] * left + marks[port];
      packetsWindow[port] = packetsWindow[port] * left + packets[port];
    }
  }

  void clear() {
    for (int i = 0; i < reporting.size(); i++) {
      marks[reporting.get(i)] = 0;
      packets[reporting.get(i)] = 0;
    }
  }

  /** Marks since the last tick. */
  long marks(int port) {
    return marks[port];
  }

  /** Packets that came to the queue since the last tick, dropped ones included. */
  long packets(int port) {
    return packets[port];
  }

  boolean hasReported(int port) {
    return reportedAt[port] != NEVER;
  }

  long reportedAt(int port) {
    return reportedAt[port];
  }

  /** The marked part of the packets of about the last {@link SmoothedRate#WINDOW_NANOS}. */
  double markedPart(int port) {
    return packetsWindow[port] < 0.5 ? 0 : Math.min(1, marksWindow[port] / packetsWindow[port]);
  }
}

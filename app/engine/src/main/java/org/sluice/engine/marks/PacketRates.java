// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.marks;

import java.util.Arrays;
import org.sluice.api.counters.PortSample;
import org.sluice.engine.state.Links;
import org.sluice.engine.state.PortTable;
import org.sluice.engine.statistics.Counters;
import org.sluice.engine.statistics.EngineStatistics.Figure;
import org.sluice.engine.time.SmoothedRate;

/** Packets per second in and out of switch ports, as switches count them, smoothed. */
public final class PacketRates {
  /** Quiet ports are read every 100 ms. An older rate is stale. */
  private static final long VALID_NANOS = 300_000_000L;

  private static final long NEVER = Long.MIN_VALUE / 2;

  private final PortTable ports;
  private final Counters counters;
  private double[] received = {};
  private double[] sent = {};
  private long[] reportedAt = {};

  PacketRates(PortTable ports, Counters counters) {
    this.ports = ports;
    this.counters = counters;
  }

  void follow() {
    int before = reportedAt.length;
    if (before < ports.size()) {
      received = Arrays.copyOf(received, ports.id.length);
      sent = Arrays.copyOf(sent, received.length);
      reportedAt = Arrays.copyOf(reportedAt, received.length);
      Arrays.fill(reportedAt, before, received.length, NEVER);
    }
  }

  /** Takes a sample in; one of an unknown port or over too long is counted and dropped. */
  public void take(PortSample sample, long now) {
    int port = ports.find(sample.port());
    boolean refused =
        port < 0
            || port >= reportedAt.length
            || sample.rxPackets() < 0
            || sample.txPackets() < 0
            || sample.intervalNanos() > MarkMeters.MAX_INTERVAL_NANOS;
    if (refused) {
      counters.increment(Figure.COUNTER_SAMPLES_REFUSED);
      return;
    }
    counters.increment(Figure.COUNTER_SAMPLES);
    double gain = isValid(port, now) ? 1 - SmoothedRate.remaining(sample.intervalNanos()) : 1;
    double seconds = sample.intervalNanos() / 1e9;
    received[port] += gain * (sample.rxPackets() / seconds - received[port]);
    sent[port] += gain * (sample.txPackets() / seconds - sent[port]);
    reportedAt[port] = now;
  }

  private boolean isValid(int port, long now) {
    return now - reportedAt[port] <= VALID_NANOS;
  }

  /**
   * Packets per second that get through a port, behind its queue if that can be seen; 0 if no
   * switch reports.
   *
   * @param entrance the port that it leads to, or {@link Links#NONE}
   */
  double through(int port, int entrance, long now) {
    if (entrance != Links.NONE && isValid(entrance, now)) {
      return received[entrance];
    }
    return isValid(port, now) ? sent[port] : 0;
  }
}

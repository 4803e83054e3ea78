// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import java.util.List;
import org.sluice.sim.transport.Flow;
import org.sluice.sim.transport.FlowStatistics;

/** The byte counters of each flow of a group, read at every time of a timeline. */
public final class GroupSeries {
  private static final double BITS_PER_MEGABIT = 1e6;

  private final String name;
  private final Timeline timeline;
  private TrafficGroup group;
  private Flow[] flows;
  private double[] completionMillis;
  private final long[][] ipBytes;
  private final long[][] payloadBytes;

  GroupSeries(TrafficGroup group, Timeline timeline) {
    this.name = group.name();
    this.group = group;
    this.timeline = timeline;
    List<Flow> all = group.flows();
    this.flows = all.toArray(Flow[]::new);
    this.ipBytes = new long[flows.length][timeline.bins() + 1];
    this.payloadBytes = new long[flows.length][timeline.bins() + 1];
  }

  void read(int reading) {
    for (int i = 0; i < flows.length; i++) {
      FlowStatistics statistics = flows[i].statistics();
      ipBytes[i][reading] = statistics.receivedIpBytes();
      payloadBytes[i][reading] = statistics.deliveredPayloadBytes();
    }
  }

  /** Lets go of the flows, and with them of the network; what was read remains. */
  void end() {
    completionMillis = group.completions().millis(0, Long.MAX_VALUE);
    group = null;
    flows = null;
  }

  public String name() {
    return name;
  }

  /** How many flows are watched one by one; none of those that come by chance. */
  public int flows() {
    return ipBytes.length;
  }

  /** How long each transfer took, ms; after the end. */
  public double[] completionMillis() {
    return completionMillis.clone();
  }

  /** Only before the end. */
  TrafficGroup group() {
    return group;
  }

  public Timeline timeline() {
    return timeline;
  }

  /** IP bytes that arrived of a flow between two readings, Mbit/s. */
  public double megabits(int flow, int from, int to) {
    return rate(ipBytes[flow], from, to);
  }

  /** Payload that was delivered of a flow between two readings, Mbit/s. */
  public double payloadMegabits(int flow, int from, int to) {
    return rate(payloadBytes[flow], from, to);
  }

  /** IP bytes that arrived of all flows between two readings, Mbit/s. */
  public double totalMegabits(int from, int to) {
    double sum = 0;
    for (int i = 0; i < ipBytes.length; i++) {
      sum += megabits(i, from, to);
    }
    return sum;
  }

  private double rate(long[] counter, int from, int to) {
    double seconds = (to - from) * (timeline.binNanos() / 1e9);
    return (counter[to] - counter[from]) * 8 / seconds / BITS_PER_MEGABIT;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import java.util.ArrayList;
import java.util.List;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.network.Network;
import org.sluice.sim.queue.RedParameters;
import org.sluice.sim.topology.Dumbbell;
import org.sluice.sim.topology.LinkPlan;
import org.sluice.sim.topology.QueueFactory;

/** The papers' dumbbell: 1 Gb/s, RTT 100 us, 100 packets of buffer, marks from 20 on. */
final class DumbbellFixture {
  static final long GIGABIT = 1_000_000_000L;
  static final long SECOND = 1_000_000_000L;
  static final long MILLI = 1_000_000L;

  final Network network;
  final Dumbbell dumbbell;
  final List<UdpSource> sources = new ArrayList<>();
  private long[] before = new long[0];
  private long bottleneckBefore;
  private long since;

  private final long rateBitsPerSecond;

  DumbbellFixture(int senders, long seed) {
    this(senders, seed, GIGABIT, 20);
  }

  /** All links of another speed, with another marking threshold. */
  DumbbellFixture(int senders, long seed, long bitsPerSecond, int markAt) {
    rateBitsPerSecond = bitsPerSecond;
    network = new Network(new Scheduler(), new RandomStreams(seed));
    LinkParameters link = new LinkParameters(bitsPerSecond, 16_000, 0);
    RedParameters red = RedParameters.step(100, markAt, RedParameters.NonEct.DROP);
    LinkPlan access = LinkPlan.symmetric(link, QueueFactory.dropTail(1000));
    LinkPlan between = new LinkPlan(link, QueueFactory.red(red), QueueFactory.dropTail(1000));
    dumbbell = Dumbbell.build(network, senders, 1, access, between);
  }

  /** Greedy sources from all senders to the receiver. */
  DumbbellFixture floodFrom(int sender, long start, long stop) {
    sources.add(
        new UdpSource(
            network,
            dumbbell.senders().get(sender),
            dumbbell.receivers().get(0),
            rateBitsPerSecond,
            start,
            stop));
    return this;
  }

  /** Runs to a time, and begins to measure there. */
  void measureFrom(long nanos) {
    network.scheduler().runUntil(nanos);
    since = nanos;
    before = sources.stream().mapToLong(UdpSource::receivedBytes).toArray();
    bottleneckBefore = dumbbell.bottleneck().counters().sentBytes();
  }

  /** Each source's rate since {@link #measureFrom}, bit/s. */
  double[] ratesUntil(long nanos) {
    network.scheduler().runUntil(nanos);
    double[] rates = new double[sources.size()];
    for (int i = 0; i < rates.length; i++) {
      rates[i] = (sources.get(i).receivedBytes() - before[i]) * 8e9 / (nanos - since);
    }
    return rates;
  }

  double utilisation() {
    long bytes = dumbbell.bottleneck().counters().sentBytes() - bottleneckBefore;
    return bytes * 8e9 / (network.scheduler().now() - since) / rateBitsPerSecond;
  }
}

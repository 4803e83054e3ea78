// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.sluice.api.PortStatus;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.network.Network;
import org.sluice.sim.queue.RedParameters;
import org.sluice.sim.shim.marks.PhantomQueue;
import org.sluice.sim.topology.Dumbbell;
import org.sluice.sim.topology.LinkPlan;
import org.sluice.sim.topology.QueueFactory;

/** Three senders of weights 1, 2 and 3 to a receiver with a ceiling, one to a receiver without. */
class ReceiveCeilingTest {
  private static final long GIGABIT = 1_000_000_000L;
  private static final long CEILING = 200_000_000L;
  private static final long SECOND = 1_000_000_000L;

  private final Network network = new Network(new Scheduler(), new RandomStreams(1));
  private final Dumbbell dumbbell = dumbbell();
  private final UdpSource[] sources = new UdpSource[4];
  private final long[] before = new long[4];

  private Dumbbell dumbbell() {
    LinkParameters link = new LinkParameters(GIGABIT, 16_000, 0);
    RedParameters red = RedParameters.step(100, 20, RedParameters.NonEct.DROP);
    return Dumbbell.build(
        network,
        4,
        2,
        LinkPlan.symmetric(link, QueueFactory.dropTail(1000)),
        new LinkPlan(link, QueueFactory.red(red), QueueFactory.dropTail(1000)));
  }

  private Endpoint receiver(int sender) {
    return dumbbell.receivers().get(sender == 3 ? 1 : 0);
  }

  private SluiceDeployment flood(long ceilingFromNanos) {
    SluiceDeployment sluice = SluiceDeployment.install(network, SluiceParameters.builder().build());
    sluice.setReceiveCeiling(receiver(0), CEILING, ceilingFromNanos);
    for (int i = 0; i < 3; i++) {
      sluice.setWeight(dumbbell.senders().get(i), i + 1, 0);
    }
    for (int i = 0; i < sources.length; i++) {
      sources[i] =
          new UdpSource(
              network, dumbbell.senders().get(i), receiver(i), GIGABIT, 1_000, 10 * SECOND);
    }
    return sluice;
  }

  /** Rates from one time to another, Mbit/s. */
  private double[] megabits(long from, long to) {
    network.scheduler().runUntil(from);
    for (int i = 0; i < sources.length; i++) {
      before[i] = sources[i].receivedBytes();
    }
    network.scheduler().runUntil(to);
    double[] rates = new double[sources.length];
    for (int i = 0; i < rates.length; i++) {
      rates[i] = (sources[i].receivedBytes() - before[i]) * 8e3 / (to - from);
    }
    return rates;
  }

  @Test
  void isSharedByWeightAndUnusedCapacityGoesToOthers() {
    SluiceDeployment sluice = flood(SECOND);
    double[] without = megabits(500_000_000L, SECOND);
    // 1 Gbit/s by weights 1, 2, 3 and 1.
    assertThat(without[0]).isCloseTo(1000 / 7.0, within(0.05 * 1000 / 7));
    assertThat(without[3]).isCloseTo(1000 / 7.0, within(0.05 * 1000 / 7));

    network.scheduler().runUntil(2 * SECOND);
    long dropsBefore = dumbbell.bottleneck().counters().droppedPackets();
    double[] rates = megabits(2 * SECOND, 4 * SECOND);
    double together = rates[0] + rates[1] + rates[2];
    assertThat(together).isBetween(0.95 * 196, 196.5);
    for (int i = 0; i < 3; i++) {
      assertThat(rates[i]).isCloseTo(together * (i + 1) / 6, within(0.03 * together));
    }
    assertThat(rates[3]).isGreaterThan(0.95 * (1000 - 196));
    assertThat(sluice.controller().orElseThrow().ports().ports())
        .filteredOn(PortStatus::congested)
        .extracting(status -> status.id().isReceiver())
        .containsExactlyInAnyOrder(true, false);
    assertThat(dumbbell.bottleneck().counters().droppedPackets()).isEqualTo(dropsBefore);
  }

  @Test
  void marksPacketsThatFindTheQueueOverItsThreshold() {
    // 24.5 bytes in a microsecond; K is 20 packets of 1514 bytes.
    PhantomQueue queue = new PhantomQueue(CEILING);
    int marked = 0;
    for (int i = 0; i < 21; i++) {
      marked += queue.add(1514, 0) ? 1 : 0;
    }
    assertThat(marked).isZero();
    assertThat(queue.add(1514, 0)).isTrue();
    assertThat(queue.overThresholdPackets()).isEqualTo(1);
    // 22 wait; two of them have drained after 124 us.
    assertThat(queue.add(1514, 190_000)).isFalse();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.core.setting.SettingTable;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.network.Network;
import org.sluice.sim.shim.deadline.SedSettings;
import org.sluice.sim.topology.Dumbbell;
import org.sluice.sim.topology.LinkPlan;
import org.sluice.sim.topology.QueueFactory;
import org.sluice.sim.transport.FlowStatistics;
import org.sluice.sim.transport.TcpFlow;
import org.sluice.sim.transport.TcpParameters;

/** The testbed's incast: 50 Mbit/s, space for 20 packets, K = 8, Linux's segments. */
class SedShortQueueTest {
  private static final long MILLI = 1_000_000;
  private static final int SENDERS = 20;
  private static final int[] KILOBYTES = {20, 60, 100, 140, 200};
  private static final int[] DUE_MILLIS = {400, 600, 700, 800, 900};
  private static final TcpParameters LINUX =
      TcpParameters.builder()
          .rtoMinNanos(200 * MILLI)
          .sack(false)
          .quickAckSegments(16)
          .halvesWindows(true)
          .build();
  private static final SluiceParameters PARAMETERS =
      SluiceParameters.builder()
          .set(SettingTable.DEADLINES, SettingTable.Deadlines.WITHIN_SHARE)
          .set(SettingTable.LOSS_ANSWERS, false)
          .limits(false)
          .portAgents(true)
          .deadlines(SedSettings.DEFAULTS)
          .build();

  private final Scheduler scheduler = new Scheduler();

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void nothingIsLostAndEveryAdmittedDeadlineIsMet(long seed) {
    Network network = new Network(scheduler, new RandomStreams(seed));
    LinkPlan access = plan(1_000_000_000L, 75_000, QueueFactory.dropTail(1000));
    LinkPlan middle = plan(50_000_000L, 50_000, QueueFactory.dropTail(20));
    Dumbbell dumbbell = Dumbbell.build(network, SENDERS, 1, access, middle);
    SluiceDeployment sed = SluiceDeployment.install(network, PARAMETERS);
    SplittableRandom random = network.random().stream("starts");
    List<TcpFlow> flows = new ArrayList<>();
    for (int i = 0; i < SENDERS; i++) {
      TcpFlow flow =
          new TcpFlow(
              network,
              "flow " + i,
              dumbbell.senders().get(i),
              dumbbell.receivers().get(0),
              LINUX,
              KILOBYTES[i % 5] * 1000L);
      long start = 150 * MILLI + random.nextLong(10 * MILLI);
      long due = start + DUE_MILLIS[i % 5] * MILLI;
      flow.setDeadlineNanos(due);
      sed.registrations().register(flow, MILLI, start, due);
      flow.start(start);
      flows.add(flow);
    }
    scheduler.runUntil(2_000 * MILLI);
    assertThat(dumbbell.bottleneck().queue().dropped()).isZero();
    assertThat(flows)
        .allMatch(sed.registrations()::isPromised)
        .allMatch(SedShortQueueTest::isInTime);
  }

  private static LinkPlan plan(long rateBitsPerSecond, long delayNanos, QueueFactory queue) {
    return new LinkPlan(new LinkParameters(rateBitsPerSecond, delayNanos, 0), queue, queue);
  }

  private static boolean isInTime(TcpFlow flow) {
    long completed = flow.statistics().completionNanos();
    return completed != FlowStatistics.NOT_YET && completed <= flow.deadlineNanos();
  }
}

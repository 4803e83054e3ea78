// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.SettingTable.Caps;
import org.sluice.sim.agent.LevelParameters;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.platform.Outage;
import org.sluice.sim.queue.MicroFlowQueues;
import org.sluice.sim.topology.Dumbbell;
import org.sluice.sim.topology.LinkPlan;
import org.sluice.sim.topology.QueueFactory;
import org.sluice.sim.transport.FlowStatistics;
import org.sluice.sim.transport.TcpFlow;
import org.sluice.sim.transport.TcpParameters;

/**
 * Senders behind a link of 10 Mbit/s, one receiver behind one of 5: two background flows, and pages
 * of 10 KB from all the others at once.
 */
class MicroFlowDeploymentTest {
  private static final long MILLI = 1_000_000L;
  private static final int PAGES = 7;
  private static final int ENDLESS = 2;

  private final Scheduler scheduler = new Scheduler();
  private final Network network = new Network(scheduler, new RandomStreams(3));
  private final List<TcpFlow> pages = new ArrayList<>();
  private Dumbbell dumbbell;
  private final List<TcpFlow> endless = new ArrayList<>();
  private SluiceDeployment deployment;

  private static LinkPlan plan(long megabits, long delayNanos) {
    LinkParameters link = new LinkParameters(megabits * 1_000_000, delayNanos, 0);
    return LinkPlan.symmetric(link, QueueFactory.dropTail(36));
  }

  private void build(SluiceParameters.Builder parameters) {
    dumbbell = Dumbbell.build(network, PAGES + ENDLESS, 1, plan(5, 5 * MILLI), plan(10, 2 * MILLI));
    if (parameters != null) {
      deployment = SluiceDeployment.install(network, parameters.build());
    }
    for (int i = 0; i < ENDLESS; i++) {
      endless.add(flow("endless " + i, i, TcpFlow.ENDLESS));
      endless.get(i).start(i * 10L * MILLI);
    }
    for (int i = 0; i < PAGES; i++) {
      TcpFlow page = flow("page " + i, ENDLESS + i, 10_000);
      page.start(2_000 * MILLI + i * 100_000L);
      pages.add(page);
    }
  }

  private TcpFlow flow(String name, int sender, long bytes) {
    return new TcpFlow(
        network,
        name,
        dumbbell.senders().get(sender),
        dumbbell.receivers().get(0),
        TcpParameters.DEFAULTS,
        bytes);
  }

  /** Micro-flow's, where nothing limits hosts. */
  private static SluiceParameters.Builder settings(Caps caps, boolean hosts) {
    return SluiceParameters.builder()
        .limits(false)
        .set(SettingTable.CAPS, caps)
        .set(SettingTable.FABRIC_ROUND_TRIP_MICROS, 29_000)
        .levels(LevelParameters.DEFAULTS, new LevelQueueParameters(hosts, 36, 36, 36, 0, 0, 1));
  }

  private int backgroundFlows() {
    return deployment.controller().orElseThrow().queues().backgroundFlows().size();
  }

  private long cappedQueues() {
    long capped = 0;
    for (Port port : network.ports()) {
      if (port.queue() instanceof MicroFlowQueues queues) {
        for (int i = 0; i < queues.limits().background(); i++) {
          capped += queues.background(i).capBitsPerSecond(scheduler.now()) > 0 ? 1 : 0;
        }
      }
    }
    return capped;
  }

  private double meanMillis() {
    return pages.stream()
            .map(TcpFlow::statistics)
            .mapToLong(each -> each.completionNanos() - each.startNanos())
            .average()
            .orElseThrow()
        / MILLI;
  }

  /** Seven pages are 49 packets, which come twice as fast as they leave; qc is 12, TH 11. */
  @Test
  void capsFollowHitsAndExpire() {
    build(settings(Caps.MICROFLOW, false));
    scheduler.runUntil(1_900 * MILLI);
    assertThat(backgroundFlows()).as("acknowledgements too").isBetween(2, 4);
    assertThat(cappedQueues()).isZero();
    assertThat(mostCapped()).isEqualTo(1);
    assertThat(deployment.caps()).isPositive();
    scheduler.runUntil(6_000 * MILLI);
    assertThat(cappedQueues()).as("all restored").isZero();
    assertThat(pages)
        .allMatch(page -> page.statistics().completionNanos() != FlowStatistics.NOT_YET);
  }

  /** While pages come. */
  private long mostCapped() {
    long most = 0;
    for (long now = 1_900; now < 2_150; now++) {
      scheduler.runUntil(now * MILLI);
      most = Math.max(most, cappedQueues());
    }
    return most;
  }

  @Test
  void sluiceCapsExpire() {
    build(settings(Caps.SLUICE, false));
    assertThat(mostCapped()).isEqualTo(1);
    scheduler.runUntil(6_000 * MILLI);
    assertThat(cappedQueues()).isZero();
  }

  /** A controller that stops leaves no cap, and all of the last level in its own queue. */
  @Test
  void stoppedControllerCapsNothing() {
    build(settings(Caps.MICROFLOW, false).absence(new Outage(1_900 * MILLI, Outage.FOR_EVER)));
    scheduler.runUntil(1_800 * MILLI);
    MicroFlowQueues queues = (MicroFlowQueues) dumbbell.bottleneck().queue();
    assertThat(queues.background(MicroFlowQueues.OWN).sentPackets()).isZero();
    assertThat(mostCapped()).isZero();
    assertThat(queues.background(MicroFlowQueues.OWN).sentPackets()).isPositive();
  }

  /** The first 16 KB of a flow go first, and nobody needs a rule for that. */
  @Test
  void levelsComeFromHosts() {
    build(
        settings(Caps.OFF, true)
            .set(SettingTable.LEVEL_THRESHOLDS, SettingTable.LevelThresholds.TUNED)
            .set(SettingTable.LEVELS, 2));
    assertThat(thresholds()).as("the agents' own").containsExactly(16_384);
    scheduler.runUntil(6_000 * MILLI);
    assertThat(thresholds()).as("the controller's bgt_size").containsExactly(16_000);
    assertThat(deployment.caps()).isZero();
    assertThat(meanMillis()).isLessThan(0.8 * withoutLaw());
  }

  private long[] thresholds() {
    return deployment.levelThresholdsBytes(network.hosts().get(0));
  }

  /** 160 pages of seven senders, and as many flows of acknowledgements. */
  @Test
  void thresholdsFollowTheSizesOfFlowsThatEnded() {
    LevelParameters own = new LevelParameters(List.of(1L, 2L, 16_000L), 500 * MILLI);
    build(
        settings(Caps.OFF, true)
            .set(SettingTable.LEVEL_THRESHOLDS, SettingTable.LevelThresholds.TUNED)
            .levels(own, LevelQueueParameters.DEFAULTS));
    for (int i = 0; i < 160; i++) {
      flow("more " + i, ENDLESS + i % PAGES, 10_000).start((500 + 10L * i) * MILLI);
    }
    scheduler.runUntil(4_000 * MILLI);
    assertThat(thresholds()[0]).as("acknowledgements of a page").isBetween(100L, 500L);
    assertThat(thresholds()[1]).isGreaterThan(thresholds()[0]);
    assertThat(thresholds()[2]).as("a page is less than bgt_size").isEqualTo(16_000);
    assertThat(deployment.controller().orElseThrow().queues().levelThresholdsBytes())
        .containsExactly(thresholds()[0], thresholds()[1], thresholds()[2]);
  }

  @Test
  void queuesAloneReduceTheCompletionTimeOfShortFlows() {
    build(settings(Caps.OFF, false));
    scheduler.runUntil(6_000 * MILLI);
    double alone = meanMillis();
    assertThat(alone).isLessThan(0.8 * withoutLaw());
  }

  private static double withoutLaw() {
    MicroFlowDeploymentTest other = new MicroFlowDeploymentTest();
    other.build(null);
    other.scheduler.runUntil(6_000 * MILLI);
    return other.meanMillis();
  }

  @Test
  void endedFlowIsRemoved() {
    build(settings(Caps.MICROFLOW, false));
    endless.forEach(flow -> flow.stop(1_000 * MILLI));
    scheduler.runUntil(1_900 * MILLI);
    assertThat(endless).allMatch(TcpFlow::isClosed);
    scheduler.runUntil(4_000 * MILLI);
    assertThat(backgroundFlows()).isZero();
  }
}

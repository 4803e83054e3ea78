// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.engine.law.MicroFlowLaw;
import org.sluice.engine.law.MicroFlowParameters.Caps;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.network.Network;
import org.sluice.sim.platform.ChannelParameters;
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
  private MicroFlowDeployment deployment;

  private static LinkPlan plan(long megabits, long delayNanos) {
    LinkParameters link = new LinkParameters(megabits * 1_000_000, delayNanos, 0);
    return LinkPlan.symmetric(link, QueueFactory.dropTail(36));
  }

  private void build(MicroFlowSettings settings) {
    dumbbell = Dumbbell.build(network, PAGES + ENDLESS, 1, plan(5, 5 * MILLI), plan(10, 2 * MILLI));
    if (settings != null) {
      deployment =
          MicroFlowDeployment.install(network, settings, ChannelParameters.DEFAULTS, 5 * MILLI);
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

  private static MicroFlowSettings settings(Caps caps) {
    return settings(caps, false, 0);
  }

  private static MicroFlowSettings settings(Caps caps, boolean hosts, int levels) {
    MicroFlowSettings all = MicroFlowSettings.DEFAULTS;
    return new MicroFlowSettings(
        caps,
        hosts,
        MicroFlowLaw.Capacity.BDP,
        all.buffer(),
        all.hostBuffer(),
        all.hostBackgroundBuffer(),
        all.portBuffer(),
        all.markAt(),
        levels,
        all.levelPeriodNanos(),
        1,
        29 * MILLI,
        all.longestIntervalNanos(),
        all.timeoutNanos(),
        all.backgroundBytes(),
        all.idleNanos(),
        all.flowLimit(),
        all.reportNanos());
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
    build(settings(Caps.MICROFLOW));
    scheduler.runUntil(1_900 * MILLI);
    assertThat(deployment.backgroundFlows()).as("acknowledgements too").isBetween(2, 4);
    assertThat(deployment.cappedQueues()).isZero();
    long capped = 0;
    for (long now = 1_900; now < 2_150; now++) {
      scheduler.runUntil(now * MILLI);
      capped = Math.max(capped, deployment.cappedQueues());
    }
    assertThat(deployment.hits()).isPositive();
    assertThat(deployment.caps()).isPositive();
    assertThat(capped).isPositive();
    scheduler.runUntil(6_000 * MILLI);
    assertThat(deployment.cappedQueues()).as("all restored").isZero();
    assertThat(pages)
        .allMatch(page -> page.statistics().completionNanos() != FlowStatistics.NOT_YET);
  }

  @Test
  void sluiceCapsExpire() {
    build(settings(Caps.SLUICE));
    long most = 0;
    for (long now = 1_900; now < 2_150; now++) {
      scheduler.runUntil(now * MILLI);
      most = Math.max(most, deployment.cappedQueues());
    }
    assertThat(deployment.caps()).isPositive();
    assertThat(most).isPositive();
    scheduler.runUntil(6_000 * MILLI);
    assertThat(deployment.cappedQueues()).isZero();
  }

  /** The first 16 KB of a flow go first, and nobody needs a rule for that. */
  @Test
  void levelsComeFromHosts() {
    build(settings(Caps.NONE, true, 2));
    scheduler.runUntil(6_000 * MILLI);
    assertThat(deployment.levels())
        .as("fewer than 100 flows are no evidence")
        .containsExactly(16_000);
    assertThat(meanMillis()).isLessThan(0.8 * withoutLaw());
  }

  @Test
  void queuesAloneReduceTheCompletionTimeOfShortFlows() {
    build(settings(Caps.NONE));
    scheduler.runUntil(6_000 * MILLI);
    assertThat(deployment.hits()).isZero();
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
    build(settings(Caps.MICROFLOW));
    endless.forEach(flow -> flow.stop(1_000 * MILLI));
    scheduler.runUntil(1_900 * MILLI);
    assertThat(endless).allMatch(TcpFlow::isClosed);
    scheduler.runUntil(4_000 * MILLI);
    assertThat(deployment.backgroundFlows()).isZero();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.platform.ChannelParameters;
import org.sluice.sim.queue.DividedQueues;
import org.sluice.sim.queue.DividedQueues.Marking;
import org.sluice.sim.topology.LinkPlan;
import org.sluice.sim.topology.QueueFactory;
import org.sluice.sim.topology.SingleRack;
import org.sluice.sim.transport.CongestionControls;
import org.sluice.sim.transport.TcpFlow;
import org.sluice.sim.transport.TcpParameters;

/** Four hosts at one switch; three of them send to the fourth. */
class DaDctcpDeploymentTest {
  private static final long MILLI = 1_000_000L;
  private static final long RATE = 100_000_000L;

  private final Scheduler scheduler = new Scheduler();
  private final Network network = new Network(scheduler, new RandomStreams(5));
  private final List<TcpFlow> flows = new ArrayList<>();

  private void build(int queuesPerPort) {
    LinkParameters link = new LinkParameters(RATE, 100_000, 0);
    QueueFactory marking = (at, random) -> new DividedQueues(Marking.SLOPE, queuesPerPort, 200, 20);
    SingleRack.build(network, 4, new LinkPlan(link, QueueFactory.dropTail(1_000), marking));
  }

  private void send(CongestionControls control) {
    for (int i = 0; i < 3; i++) {
      TcpFlow flow =
          new TcpFlow(
              network,
              "flow " + i,
              network.endpoint(i),
              network.endpoint(3),
              TcpParameters.builder().congestionControl(control).build(),
              TcpFlow.ENDLESS);
      flow.start(i * MILLI);
      flows.add(flow);
    }
  }

  private static DaDctcpSettings settings(DaDctcpSettings.Scope scope) {
    return DaDctcpSettings.DEFAULTS.with(scope);
  }

  private Port towardsReceiver() {
    return network.switches().get(0).ports().get(3);
  }

  private double thresholds(Port port) {
    DividedQueues queues = (DividedQueues) port.queue();
    double sum = 0;
    for (int i = 0; i < queues.queues(); i++) {
      sum += queues.thresholdPackets(i);
    }
    return sum;
  }

  @Test
  void portKeepsItsBudget() {
    build(4);
    DaDctcpDeployment deployment =
        DaDctcpDeployment.install(
            network, settings(DaDctcpSettings.Scope.PORT), ChannelParameters.DEFAULTS);
    send(CongestionControls.DA_DCTCP);
    scheduler.runUntil(500 * MILLI);
    DividedQueues queues = (DividedQueues) towardsReceiver().queue();
    double least = Double.POSITIVE_INFINITY;
    double most = 0;
    for (int i = 0; i < queues.queues(); i++) {
      least = Math.min(least, queues.thresholdPackets(i));
      most = Math.max(most, queues.thresholdPackets(i));
    }
    assertThat(thresholds(towardsReceiver())).isBetween(19.99, 20.01);
    assertThat(least).isGreaterThanOrEqualTo(2);
    assertThat(most).as("three flows do not fill four queues alike").isGreaterThan(6);
    assertThat(deployment.divisions()).isBetween(390L, 400L);
  }

  @Test
  void switchMovesThresholdsToTheBusyPort() {
    build(1);
    DaDctcpDeployment.install(
        network, settings(DaDctcpSettings.Scope.SWITCH), ChannelParameters.DEFAULTS);
    send(CongestionControls.DA_DCTCP);
    scheduler.runUntil(500 * MILLI);
    assertThat(thresholds(towardsReceiver())).isGreaterThan(50);
    assertThat(network.switches().get(0).ports().stream().mapToDouble(this::thresholds).sum())
        .isBetween(79.99, 80.01);
  }

  @Test
  void nothingChangesBeforeThreeMessagesHaveArrived() {
    build(4);
    DaDctcpDeployment.install(
        network, settings(DaDctcpSettings.Scope.PORT), new ChannelParameters(200 * MILLI, 0, 0));
    send(CongestionControls.DA_DCTCP);
    scheduler.runUntil(600 * MILLI);
    DividedQueues queues = (DividedQueues) towardsReceiver().queue();
    for (int i = 0; i < queues.queues(); i++) {
      assertThat(queues.thresholdPackets(i)).isEqualTo(5);
    }
  }

  /** Slow start ends at the first notice: each window sends a third of the port. */
  @Test
  void fDctcpSendersReceiveTheirShare() {
    build(1);
    FDctcpDeployment deployment =
        FDctcpDeployment.install(
            network, FDctcpSettings.DEFAULTS, ChannelParameters.DEFAULTS, () -> flows);
    send(CongestionControls.F_DCTCP);
    scheduler.runUntil(500 * MILLI);
    assertThat(deployment.notices()).isPositive().isEqualTo(deployment.notices() / 3 * 3);
    double sum = flows.stream().mapToDouble(each -> each.congestionControl().windowBytes()).sum();
    for (TcpFlow flow : flows) {
      assertThat(flow.congestionControl().windowBytes()).isBetween(0.2 * sum, 0.5 * sum);
    }
  }

  @Test
  void nothingIsSentWithoutFlowsOrQueues() {
    build(1);
    FDctcpDeployment deployment =
        FDctcpDeployment.install(
            network, FDctcpSettings.DEFAULTS, ChannelParameters.DEFAULTS, () -> flows);
    send(CongestionControls.DCTCP);
    scheduler.runUntil(200 * MILLI);
    assertThat(deployment.notices()).as("not F-DCTCP's senders").isZero();
  }
}

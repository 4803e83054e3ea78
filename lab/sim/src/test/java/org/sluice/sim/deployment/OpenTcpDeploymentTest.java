// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.api.policy.PolicyPresets;
import org.sluice.api.policy.PolicySet;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.network.Network;
import org.sluice.sim.platform.ChannelParameters;
import org.sluice.sim.topology.LeafSpine;
import org.sluice.sim.topology.LinkPlan;
import org.sluice.sim.topology.QueueFactory;
import org.sluice.sim.transport.RouteMetrics;
import org.sluice.sim.transport.RouteTable;
import org.sluice.sim.transport.TcpFlow;
import org.sluice.sim.transport.TcpParameters;

/** Two leaves with four hosts each, two spines, 1 Gbit/s; cycles of 100 ms. */
class OpenTcpDeploymentTest {
  private static final long MILLI = 1_000_000L;
  private static final RouteMetrics FAST = new RouteMetrics(20, 2 * MILLI, null, 0);

  private final Scheduler scheduler = new Scheduler();
  private final Network network = new Network(scheduler, new RandomStreams(5));
  private final RouteTable routes = new RouteTable();
  private final List<TcpFlow> flows = new ArrayList<>();
  private LeafSpine fabric;

  private OpenTcpDeployment deploy(PolicySet policies, long tickNanos) {
    LinkPlan plan =
        LinkPlan.symmetric(
            new LinkParameters(1_000_000_000, 25_000, 0), QueueFactory.dropTail(128));
    fabric = LeafSpine.build(network, 2, 2, 4, plan, plan);
    return OpenTcpDeployment.install(
        network,
        new OpenTcpSettings(policies, 100 * MILLI, 200 * MILLI, tickNanos),
        ChannelParameters.DEFAULTS,
        routes);
  }

  private TcpFlow flow(int from, int to, long bytes, long startNanos) {
    TcpFlow flow =
        new TcpFlow(
            network,
            "flow " + flows.size(),
            fabric.endpoints().get(from),
            fabric.endpoints().get(to),
            TcpParameters.builder().routes(routes).build(),
            bytes);
    flow.start(startNanos);
    flows.add(flow);
    return flow;
  }

  private RouteMetrics route(int from) {
    Endpoint to = fabric.endpoints().get((from + 1) % 8);
    return routes.metrics(fabric.endpoints().get(from).host(), to);
  }

  @Test
  void hintsBeginAfterTheFirstCycleAndEndAtHighUtilisation() {
    OpenTcpDeployment deployment = deploy(PolicyPresets.openTcp1(), 0);
    scheduler.runUntil(101 * MILLI);
    assertThat(route(0)).isEqualTo(RouteMetrics.NONE);
    scheduler.runUntil(102 * MILLI);
    for (int host = 0; host < 8; host++) {
      assertThat(route(host)).isEqualTo(FAST);
    }
    flow(0, 5, 30_000_000, 110 * MILLI);
    scheduler.runUntil(199 * MILLI);
    assertThat(route(3)).isEqualTo(FAST);
    scheduler.runUntil(202 * MILLI);
    assertThat(route(3)).isEqualTo(RouteMetrics.NONE);
    scheduler.runUntil(1000 * MILLI);
    assertThat(route(3)).as("the transfer is over").isEqualTo(FAST);
    assertThat(deployment.changes()).isEqualTo(6);
    assertThat(deployment.messages()).isEqualTo(24);
    assertThat(deployment.slowestRestoreMillis()).isCloseTo(1.5, within(1e-9));
    assertThat(deployment.hintedPart()).isBetween(0.6, 0.8);
  }

  @Test
  void rtoMinIsRoundedUpToTheTickOfTheKernel() {
    OpenTcpDeployment deployment = deploy(PolicyPresets.openTcp1(), 4 * MILLI);
    scheduler.runUntil(150 * MILLI);
    assertThat(route(0)).isEqualTo(new RouteMetrics(20, 4 * MILLI, null, 0));
    assertThat(deployment.appliedRtoMinMillis()).isEqualTo(4);
  }

  /** Four send to one at once, and their windows outgrow its port's 128 packets of buffer. */
  @Test
  void openTcp2EndsWithDropsAndOpenTcp1DoesNot() {
    OpenTcpDeployment second = deploy(PolicyPresets.openTcp2(), 0);
    for (int host = 0; host < 4; host++) {
      flow(host, 5, 500_000, 110 * MILLI);
    }
    scheduler.runUntil(202 * MILLI);
    assertThat(route(0)).isEqualTo(RouteMetrics.NONE);
    assertThat(second.changes()).isEqualTo(4);
    scheduler.runUntil(600 * MILLI);
    assertThat(route(0)).isEqualTo(FAST);
  }

  @Test
  void collectedDataIsIndependentOfTheRun() {
    OpenTcpDeployment deployment = deploy(PolicyPresets.openTcp1(), 0);
    // Leaves have 6 ports, spines 2; rows of both racks come every 60 s, or every 30.
    long counters = 2 * OracleTraffic.counters(6) + 2 * OracleTraffic.counters(2);
    long row = OracleTraffic.row(100_000_000, 100_000_000);
    double expected = (counters / 60.0 + 8 * row / 60.0) * 8 / 1000;
    assertThat(deployment.collectionKilobits(60_000 * MILLI)).isCloseTo(expected, within(1e-9));
    double second = (counters + 8 * row / 30.0) * 8 / 1000;
    assertThat(deployment.collectionKilobits(1_000 * MILLI)).isCloseTo(second, within(1e-9));
  }

  @Test
  void pathsIncludeAllRoutes() {
    deploy(PolicyPresets.openTcp1(), 0);
    RackFabric racks = new RackFabric(network);
    assertThat(racks.links()).hasSize(2 * 6 + 2 * 2);
    assertThat(racks.fabric().groups()).containsExactly("leaf1", "leaf2");
    assertThat(racks.rackOf(3)).isZero();
    assertThat(racks.rackOf(4)).isEqualTo(1);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.HostHints;
import org.sluice.api.policy.Limits;
import org.sluice.api.policy.Policy;
import org.sluice.api.policy.Policy.Scope;
import org.sluice.api.policy.PolicyPresets;
import org.sluice.api.policy.PolicySet;
import org.sluice.api.policy.TcpHint;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Switch;
import org.sluice.sim.platform.Outage;
import org.sluice.sim.platform.SwitchNames;
import org.sluice.sim.topology.LeafSpine;
import org.sluice.sim.topology.LinkPlan;
import org.sluice.sim.topology.QueueFactory;
import org.sluice.sim.transport.RouteMetrics;
import org.sluice.sim.transport.RouteTable;
import org.sluice.sim.transport.SendingPattern;
import org.sluice.sim.transport.TcpFlow;
import org.sluice.sim.transport.TcpParameters;
import org.sluice.sim.transport.UdpFlow;

/**
 * Policies in the controller as it is, on two leaves with four hosts each and two spines, 100
 * Mbit/s; cycles of a second. The controller begins three seconds before time 0.
 */
class HintsTest {
  private static final long MILLI = 1_000_000L;
  private static final long SECOND = 1_000_000_000L;
  private static final long RATE = 100_000_000L;
  private static final RouteMetrics FAST = new RouteMetrics(20, 2 * MILLI, null, 0);
  private static final TcpHint WINDOW = TcpHint.builder().initialWindowSegments(20).build();
  private static final TcpHint TIMEOUT = TcpHint.builder().rtoMinNanos(2 * MILLI).build();

  private final Scheduler scheduler = new Scheduler(-3 * SECOND);
  private final Network network = new Network(scheduler, new RandomStreams(5));
  private final RouteTable routes = new RouteTable();
  private final List<TcpFlow> flows = new ArrayList<>();
  private final LeafSpine fabric = fabric();

  private LeafSpine fabric() {
    LinkPlan plan =
        LinkPlan.symmetric(new LinkParameters(RATE, 25_000, 0), QueueFactory.dropTail(128));
    return LeafSpine.build(network, 2, 2, 4, plan, plan);
  }

  private SluiceParameters.Builder parameters(PolicySet policies, long tickNanos)
      throws SluiceException {
    PolicySet timed =
        PolicySet.builder(policies.name())
            .cycleNanos(SECOND)
            .constraints(policies.constraints())
            .policies(policies.policies())
            .build();
    return SluiceParameters.builder()
        .limits(false)
        .hints(new HintParameters(timed, routes, tickNanos));
  }

  private SluiceDeployment deploy(PolicySet policies) throws SluiceException {
    return SluiceDeployment.install(network, parameters(policies, 0).build());
  }

  private void flow(int from, int to, long bytes, long startNanos) {
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
  }

  private RouteMetrics route(int from, int to) {
    return routes.metrics(fabric.endpoints().get(from).host(), fabric.endpoints().get(to));
  }

  private RouteMetrics route(int from) {
    return route(from, (from + 1) % 8);
  }

  /**
   * A port's counters are known from their second reading on, in the second cycle; one that carried
   * nothing is read once a second, so that a load is seen in the next cycle at the latest.
   */
  @Test
  void hintsBeginWhenAllPortsAreKnownAndEndAtHighUtilisation() throws SluiceException {
    SluiceDeployment deployment = deploy(PolicyPresets.openTcp1());
    scheduler.runUntil(-2 * SECOND);
    assertThat(route(0)).isEqualTo(RouteMetrics.NONE);
    scheduler.runUntil(0);
    for (int host = 0; host < 8; host++) {
      assertThat(route(host)).isEqualTo(FAST);
    }
    flow(0, 5, 25_000_000, 100 * MILLI);
    scheduler.runUntil(2 * SECOND);
    assertThat(route(3)).isEqualTo(FAST);
    scheduler.runUntil(2100 * MILLI);
    assertThat(route(3)).isEqualTo(RouteMetrics.NONE);
    scheduler.runUntil(5 * SECOND);
    assertThat(route(3)).as("the transfer is over").isEqualTo(FAST);
    HintRecord record = deployment.hints();
    assertThat(record.changes()).isEqualTo(3);
    assertThat(record.messages()).as("an empty set at first").isEqualTo(8 * 4);
    assertThat(record.restoredMillis(100 * MILLI)).isBetween(1900.0, 2000.0);
    assertThat(record.hintedPart()).isCloseTo(0.8, within(0.05));
  }

  @Test
  void rtoMinIsRoundedUpToTheTickOfTheKernel() throws SluiceException {
    SluiceDeployment deployment =
        SluiceDeployment.install(network, parameters(PolicyPresets.openTcp1(), 4 * MILLI).build());
    scheduler.runUntil(0);
    assertThat(route(0)).isEqualTo(new RouteMetrics(20, 4 * MILLI, null, 0));
    assertThat(deployment.hints().rtoMinMillis()).isEqualTo(4);
    List<HostHints> hosts = deployment.controller().orElseThrow().policies().hosts();
    assertThat(hosts).hasSize(8);
    assertThat(hosts).allMatch(host -> host.state() == HostHints.State.IN_FORCE);
    assertThat(hosts.get(0).applied().get(0).hint().rtoMinNanos()).isEqualTo(4 * MILLI);
  }

  /** Four send to one at once, and their windows outgrow its port's 128 packets of buffer. */
  @Test
  void openTcp2EndsWithDropsAndOpenTcp1DoesNot() throws SluiceException {
    deploy(PolicyPresets.openTcp2());
    for (int host = 0; host < 4; host++) {
      flow(host, 5, 500_000, 100 * MILLI);
    }
    scheduler.runUntil(1200 * MILLI);
    assertThat(route(0)).isEqualTo(RouteMetrics.NONE);
    scheduler.runUntil(4 * SECOND);
    assertThat(route(0)).isEqualTo(FAST);
  }

  @Test
  void hintsEndWithTheSessionAndReturnWithTheController() throws SluiceException {
    SluiceDeployment.install(
        network,
        parameters(PolicyPresets.openTcp1(), 0).absence(new Outage(SECOND, 2 * SECOND)).build());
    scheduler.runUntil(SECOND - 1);
    assertThat(route(0)).isEqualTo(FAST);
    scheduler.runUntil(SECOND);
    assertThat(route(0)).isEqualTo(RouteMetrics.NONE);
    scheduler.runUntil(5 * SECOND);
    assertThat(route(0)).isEqualTo(FAST);
  }

  @Test
  void hintsOfKilledAgentStayAndOfStoppedOneEnd() throws SluiceException {
    SluiceDeployment deployment = deploy(PolicyPresets.openTcp1());
    deployment.killAgent(fabric.endpoints().get(0).host(), SECOND);
    deployment.stopAgent(fabric.endpoints().get(1).host(), SECOND);
    scheduler.runUntil(2 * SECOND);
    assertThat(route(0)).isEqualTo(FAST);
    assertThat(route(1)).isEqualTo(RouteMetrics.NONE);
  }

  private static Policy.Builder policy(String name, TcpHint hint) {
    Limits limits = Limits.of(0.7, 0.5);
    return Policy.builder(name).scope(Scope.GROUPS).enterBelow(limits).leaveAt(limits).hint(hint);
  }

  /** Of the second policy hosts have what the first one leaves open. */
  @Test
  void hintTowardsOneGroupHoldsBesideThatForAll() throws SluiceException {
    SwitchNames names = new SwitchNames(network);
    Switch edge = (Switch) fabric.endpoints().get(5).host().nic().peer();
    String second = names.datapath(edge);
    Policy towards =
        policy("towards", WINDOW).scope(Scope.PAIRS).destinations(List.of(second)).build();
    Policy all = policy("all", TIMEOUT).build();
    deploy(PolicySet.builder("two").policies(List.of(towards, all)).build());
    scheduler.runUntil(0);
    assertThat(route(0, 5)).isEqualTo(FAST);
    assertThat(route(0, 1)).isEqualTo(new RouteMetrics(0, 2 * MILLI, null, 0));
  }

  /**
   * One leaf's hosts send among themselves, the other's fill a port: from the first whole period of
   * who sends to whom on, 30 s long, that port is on the way of the other's hosts alone.
   */
  @Test
  void controllerKnowsFromAgentsWhoSendsToWhom() throws SluiceException {
    Policy path = policy("path", WINDOW).links(Policy.Links.PATH).build();
    deploy(PolicySet.builder("path").policies(List.of(path)).build());
    udp(0, 1, RATE / 100);
    udp(4, 5, RATE * 9 / 10);
    scheduler.runUntil(26 * SECOND);
    assertThat(route(0)).isEqualTo(RouteMetrics.NONE);
    scheduler.runUntil(30 * SECOND);
    assertThat(route(0)).isEqualTo(new RouteMetrics(20, 0, null, 0));
    assertThat(route(4)).isEqualTo(RouteMetrics.NONE);
  }

  private void udp(int from, int to, long bitsPerSecond) {
    UdpFlow flow =
        new UdpFlow(
            network,
            "udp " + from,
            fabric.endpoints().get(from),
            fabric.endpoints().get(to),
            bitsPerSecond,
            1500,
            SendingPattern.CONSTANT);
    flow.start(0);
  }
}

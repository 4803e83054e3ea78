// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.network.Meter;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Switch;
import org.sluice.sim.shim.deadline.SedSettings;
import org.sluice.sim.topology.LinkPlan;
import org.sluice.sim.topology.QueueFactory;
import org.sluice.sim.topology.SingleRack;
import org.sluice.sim.transport.FlowStatistics;
import org.sluice.sim.transport.TcpFlow;
import org.sluice.sim.transport.TcpParameters;

/** Incast over 1 Gbit/s with a round trip of 200 us and space for 100 packets: the paper's rack. */
class SedDeploymentTest {
  private static final long MILLI = 1_000_000;
  private static final int[] KILOBYTES = {20, 60, 100, 140, 200};
  private static final int[] DUE_MILLIS = {20, 30, 35, 40, 45};
  private static final TcpParameters TCP =
      TcpParameters.builder().rtoMinNanos(30 * MILLI).delayedAck(false).sack(false).build();

  private final Scheduler scheduler = new Scheduler();
  private final Network network = new Network(scheduler, new RandomStreams(7));
  private final List<TcpFlow> flows = new ArrayList<>();
  private SedDeployment sed;

  /** What deadlines are divided by. */
  private int haste = 1;

  private void incast(int senders) {
    build(senders, SedParameters.DEFAULTS);
    scheduler.runUntil(1_000 * MILLI);
  }

  private void build(int senders, SedParameters parameters) {
    LinkParameters link = new LinkParameters(1_000_000_000L, 43_000, 0);
    LinkPlan access = new LinkPlan(link, QueueFactory.dropTail(1000), QueueFactory.dropTail(100));
    SingleRack rack = SingleRack.build(network, senders + 1, access);
    sed = SedDeployment.install(network, parameters);
    SplittableRandom random = network.random().stream("starts");
    for (int i = 0; i < senders; i++) {
      TcpFlow flow =
          new TcpFlow(
              network,
              "flow " + i,
              rack.endpoints().get(i),
              rack.endpoints().get(senders),
              TCP,
              KILOBYTES[i % 5] * 1000L);
      long start = random.nextLong(50_000);
      long due = start + DUE_MILLIS[i % 5] * MILLI / haste;
      flow.setDeadlineNanos(due);
      sed.register(flow, start, start, due);
      flow.start(start);
      flows.add(flow);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 20, 40, 50, 60, 80})
  void admittedDeadlinesAreMet(int senders) {
    incast(senders);
    List<TcpFlow> promised = flows.stream().filter(sed::isPromised).toList();
    assertThat(promised).hasSizeGreaterThanOrEqualTo(Math.min(senders, 40));
    assertThat(promised).allMatch(SedDeploymentTest::isInTime);
  }

  /** Then what is held back for the start of connections, a part of the time, is little. */
  @ParameterizedTest
  @ValueSource(ints = {20, 40, 100})
  void tightAdmittedDeadlinesAreMet(int senders) {
    haste = 4;
    incast(senders);
    List<TcpFlow> promised = flows.stream().filter(sed::isPromised).toList();
    assertThat(promised).hasSizeGreaterThanOrEqualTo(10);
    assertThat(promised).allMatch(SedDeploymentTest::isInTime);
  }

  @Test
  void allTransfersComplete() {
    incast(80);
    assertThat(flows)
        .allMatch(flow -> flow.statistics().completionNanos() != FlowStatistics.NOT_YET);
  }

  @ParameterizedTest
  @ValueSource(ints = {50, 60, 80, 100})
  void nothingIsDroppedAtAnyLinkRate(int senders) {
    incast(senders);
    assertThat(flows).allMatch(flow -> flow.statistics().retransmittedPackets() == 0);
  }

  /** No SYN-ACK waits, so first windows meet in the queue before the controller has granted any. */
  private static SedParameters atOnce(boolean answersLosses) {
    SedParameters defaults = SedParameters.DEFAULTS;
    return defaults.with(
        new SedSettings(1460, defaults.settings().reportNanos(), 0, answersLosses));
  }

  private long timeouts() {
    return flows.stream().filter(flow -> flow.statistics().timeouts() > 0).count();
  }

  @Test
  void rsedAvoidsMostTimeouts() {
    build(80, atOnce(true));
    scheduler.runUntil(1_000 * MILLI);
    assertThat(sed.losses()).isGreaterThan(100);
    assertThat(timeouts()).isLessThan(20);
    assertThat(flows).allMatch(TcpFlow::isClosed);
  }

  @Test
  void sendersTimeOutWithoutRsed() {
    build(80, atOnce(false));
    scheduler.runUntil(1_000 * MILLI);
    assertThat(sed.losses()).isZero();
    assertThat(timeouts()).isGreaterThan(30);
  }

  @Test
  void policerDropsAreNotAnswered() {
    build(5, atOnce(true));
    Switch rack = network.switches().get(0);
    for (int port = 0; port < rack.ports().size(); port++) {
      rack.setPolicer(port, new Meter(20_000_000, 3000));
    }
    scheduler.runUntil(1_000 * MILLI);
    assertThat(flows).anyMatch(flow -> flow.statistics().retransmittedPackets() > 0);
    assertThat(sed.losses()).isZero();
  }

  private static boolean isInTime(TcpFlow flow) {
    long completed = flow.statistics().completionNanos();
    return completed != FlowStatistics.NOT_YET && completed <= flow.deadlineNanos();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.api.SluiceException;
import org.sluice.core.setting.SettingTable;
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
  private SluiceDeployment sed;

  /** What deadlines are divided by. */
  private int haste = 1;

  /** How long before they connect applications register. */
  private long aheadNanos = 10 * MILLI;

  private void incast(int senders) {
    build(senders, true, false);
    scheduler.runUntil(1_000 * MILLI);
  }

  /** SED as published, with Sluice's windows: nothing but deadlines. */
  private static SluiceParameters parameters(boolean holdsHandshakes, boolean lossAnswers) {
    return SluiceParameters.builder()
        .set(SettingTable.DEADLINES, SettingTable.Deadlines.WITHIN_SHARE)
        .set(SettingTable.LOSS_ANSWERS, lossAnswers)
        .set(SettingTable.CONTROL_PERIOD_MILLIS, 1)
        .limits(false)
        .portAgents(true)
        .deadlines(new SedSettings(1460, holdsHandshakes))
        .build();
  }

  /** An earlier transfer shows the port's round trip, and has flows followed. */
  private void build(int senders, boolean holdsHandshakes, boolean lossAnswers) {
    LinkParameters link = new LinkParameters(1_000_000_000L, 43_000, 0);
    LinkPlan access = new LinkPlan(link, QueueFactory.dropTail(1000), QueueFactory.dropTail(100));
    SingleRack rack = SingleRack.build(network, senders + 1, access);
    sed = SluiceDeployment.install(network, parameters(holdsHandshakes, lossAnswers));
    transfer(rack, 0, senders, 20_000, 10 * MILLI, 20 * MILLI, 5 * MILLI);
    SplittableRandom random = network.random().stream("starts");
    for (int i = 0; i < senders; i++) {
      long start = 40 * MILLI + random.nextLong(50_000);
      long due = DUE_MILLIS[i % 5] * MILLI / haste;
      flows.add(transfer(rack, i, senders, KILOBYTES[i % 5] * 1000L, start, due, aheadNanos));
    }
  }

  private TcpFlow transfer(
      SingleRack rack, int from, int to, long bytes, long start, long due, long ahead) {
    TcpFlow flow =
        new TcpFlow(
            network,
            "flow from " + from + " at " + start,
            rack.endpoints().get(from),
            rack.endpoints().get(to),
            TCP,
            bytes);
    flow.setDeadlineNanos(start + due);
    sed.registrations().register(flow, start - ahead, start, start + due);
    flow.start(start);
    return flow;
  }

  private List<TcpFlow> promised() {
    return flows.stream().filter(sed.registrations()::isPromised).toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 20, 40, 50, 60, 80})
  void admittedDeadlinesAreMet(int senders) {
    incast(senders);
    assertThat(promised())
        .hasSizeGreaterThanOrEqualTo(Math.min(senders, 40))
        .allMatch(SedDeploymentTest::isInTime);
  }

  /** Their connections are known before their deadlines are. */
  @ParameterizedTest
  @ValueSource(ints = {5, 20, 50})
  void deadlinesRegisteredAsConnectionsOpenAreAdmittedAndMet(int senders) {
    aheadNanos = 0;
    incast(senders);
    assertThat(promised())
        .hasSizeGreaterThanOrEqualTo(Math.min(senders, 40))
        .allMatch(SedDeploymentTest::isInTime);
  }

  /**
   * Then what is held back for the start of connections, 3 ms for a report and a grant, is a part
   * of the time: the first seven have 0.7 MB, where 0.9 MB pass by the last deadline.
   */
  @ParameterizedTest
  @ValueSource(ints = {20, 40, 100})
  void tightAdmittedDeadlinesAreMet(int senders) {
    haste = 4;
    incast(senders);
    assertThat(promised()).hasSizeGreaterThanOrEqualTo(7).allMatch(SedDeploymentTest::isInTime);
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
  private void incastAtOnce(int senders, boolean lossAnswers) {
    aheadNanos = 0;
    build(senders, false, lossAnswers);
    scheduler.runUntil(1_000 * MILLI);
  }

  private long losses() throws SluiceException {
    return sed.controller().orElseThrow().flows().deadlines().losses().reported();
  }

  private long timeouts() {
    return flows.stream().filter(flow -> flow.statistics().timeouts() > 0).count();
  }

  @Test
  void rsedAvoidsMostTimeouts() throws SluiceException {
    incastAtOnce(80, true);
    assertThat(losses()).isGreaterThan(100);
    assertThat(timeouts()).isLessThan(20);
    assertThat(flows).allMatch(TcpFlow::isClosed);
  }

  @Test
  void sendersTimeOutWithoutRsed() throws SluiceException {
    incastAtOnce(80, false);
    assertThat(losses()).isZero();
    assertThat(timeouts()).isGreaterThan(30);
  }

  @Test
  void policerDropsAreNotAnswered() throws SluiceException {
    build(5, false, true);
    Switch rack = network.switches().get(0);
    for (int port = 0; port < rack.ports().size(); port++) {
      rack.setPolicer(port, new Meter(20_000_000, 3000));
    }
    scheduler.runUntil(1_000 * MILLI);
    assertThat(flows).anyMatch(flow -> flow.statistics().retransmittedPackets() > 0);
    assertThat(losses()).isZero();
  }

  private static boolean isInTime(TcpFlow flow) {
    long completed = flow.statistics().completionNanos();
    return completed != FlowStatistics.NOT_YET && completed <= flow.deadlineNanos();
  }
}

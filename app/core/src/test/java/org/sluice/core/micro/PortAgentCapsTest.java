// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.micro.QueueNetwork.EDGE;
import static org.sluice.core.micro.QueueNetwork.P1;
import static org.sluice.core.micro.QueueNetwork.P2;
import static org.sluice.core.micro.QueueNetwork.P3;
import static org.sluice.core.micro.QueueNetwork.cap;
import static org.sluice.core.micro.QueueNetwork.flow;
import static org.sluice.core.micro.QueueNetwork.queueFor;
import static org.sluice.core.micro.QueueNetwork.queueSets;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.core.testing.Samples.port;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpPrefix;
import org.sluice.api.Member;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.BackgroundQueueSample;
import org.sluice.api.link.BackgroundQueues;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.LargeFlow;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.link.RateCap;
import org.sluice.core.testing.MemoryNode;

/** Background queues and their caps at port agents, of a whole node in virtual time. */
class PortAgentCapsTest {
  private final QueueNetwork at = new QueueNetwork("n1");

  private void start(Object... settings) {
    at.start(settings).connectPortAgents();
  }

  @Test
  void portAgentsGetAQueuePerPortOfTheNextSwitch() {
    start("caps", "microflow");

    assertThat(at.lastQueues(P1).port()).isEqualTo(port("s1/2"));
    assertThat(at.lastQueues(P1).queues())
        .containsExactlyInAnyOrder(
            queueFor("s2/2", "10.0.0.2", "fd00::2"),
            queueFor("s2/3", "10.0.0.3", "fd00::3"),
            queueFor("s2/4", "10.0.0.4", "fd00::4"));
    assertThat(at.lastQueues(P3).queues()).hasSize(3);
    assertThat(queueSets(at.node().link, P2)).as("no switch is behind its ports").isEmpty();
    int sent = at.node().link.sent.size();
    at.pass(20);
    assertThat(at.node().link.sent).as("once").hasSize(sent);
  }

  @Test
  void aHitCapsTheFeederFor100Milliseconds() {
    start("caps", "microflow");
    at.large("h1", 20_000, flow(1, 3));
    at.pass(1);

    at.hit("s2/3", 8);
    assertThat(at.caps(P1)).containsExactly(cap("s1/2", "s2/3", EDGE / 2));
    assertThat(at.caps(P3)).as("no background flow comes that way").isEmpty();

    at.passMillis(95);
    assertThat(at.caps(P1)).hasSize(1);
    at.passMillis(5);
    assertThat(at.lastCap(P1).bitsPerSecond()).isZero();
    at.pass(50);
    assertThat(at.caps(P1)).hasSize(2);
  }

  @Test
  void sampleIsEvaluatedOnceAndIgnoredWhenStale() {
    start("caps", "microflow");
    at.large("h1", 20_000, flow(1, 3));
    at.hit("s2/3", 8);
    at.pass(10);
    assertThat(at.caps(P1)).hasSize(1);
    at.hit("s2/3", 8);
    assertThat(at.caps(P1)).as("renewed").hasSize(2);
  }

  /** alpha = 1; 18 packets wait upstream, half of its space, so that beta = 0.5. */
  @Test
  void upstreamQueueChangesTheCap() {
    start("caps", "sluice");
    at.large("h1", 20_000, flow(1, 3));
    at.queue(P1, "s1/2", 0, 0, BackgroundQueueSample.of(port("s2/3"), 0, 0, 18, 0));
    at.hit("s2/3", 8);
    assertThat(at.caps(P1)).containsExactly(cap("s1/2", "s2/3", 3 * EDGE / 4));

    at.node().set("caps", "microflow");
    at.large("h1", 20_000, flow(1, 3));
    at.pass(1);
    at.hit("s2/3", 8);
    assertThat(at.lastCap(P1).bitsPerSecond())
        .as("as printed longer queues than TH are left alone")
        .isZero();
  }

  @Test
  void portsWithTheSameFeederAreCappedSeparately() {
    start("caps", "sluice");
    at.large("h1", 20_000, flow(1, 3), flow(1, 4));
    at.queue(P2, "s2/4", 5, 0);
    at.hit("s2/3", 8);
    assertThat(at.caps(P1))
        .containsExactlyInAnyOrder(cap("s1/2", "s2/3", EDGE / 2), cap("s1/2", "s2/4", EDGE));
  }

  /** However many flows each has. */
  @Test
  void feedersShareTheResidualCapacityByTheirSenders() {
    start("caps", "sluice");
    at.node()
        .link
        .connect(
            hello(
                "h2",
                endpoint("h2/vm0", "02:00:00:00:01:02", "10.0.0.2", "fd00::2"),
                endpoint("h2/vm1", "02:00:00:00:01:22", "10.0.0.22")));
    at.network.seen("02:00:00:00:01:22", "s3/1", "10.0.0.22");
    at.pass(2);
    at.large("h1", 20_000, flow(1, 3), flow(1, 3, 40_001), flow(1, 3, 40_002));
    at.large("h2", 20_000, flow("fd00::2", "fd00::3"), flow(2, 3), flow("10.0.0.22", "10.0.0.3"));
    at.hit("s2/3", 5);
    assertThat(at.lastCap(P1)).isEqualTo(cap("s1/2", "s2/3", EDGE / 3));
    assertThat(at.lastCap(P3)).isEqualTo(cap("s3/2", "s2/3", 2 * EDGE / 3));
    for (FlowKey flow : List.of(flow(1, 3), flow(1, 3, 40_001), flow(1, 3, 40_002))) {
      at.report("h1", List.of(LargeFlow.of(flow, 30_000, true)), List.of());
    }
    at.hit("s2/3", 5);
    assertThat(at.lastCap(P3)).isEqualTo(cap("s3/2", "s2/3", EDGE));
  }

  @Test
  void endedAndUnroutedFlowsCapNothing() {
    start("caps", "sluice");
    at.large("h1", 20_000, flow(1, 3), flow("10.0.0.1", "10.9.9.9"), flow("10.9.9.9", "10.0.0.3"));
    at.large("h1", 15_000, flow("fd00::1", "fd00::4"));
    at.report("h1", List.of(LargeFlow.of(flow(1, 3), 30_000, true)), List.of());
    at.queue(P2, "s2/4", 8, 0);
    at.hit("s2/3", 8);
    assertThat(at.caps(P1)).isEmpty();
  }

  @Test
  void hostCannotDeclareFlowsOfOthersBackground() {
    start("caps", "sluice");
    at.large("h2", 20_000, flow(1, 3));
    at.hit("s2/3", 8);
    assertThat(at.caps(P1)).isEmpty();
    assertThat(at.node().controller().queues().backgroundFlows()).isEmpty();
  }

  @Test
  void flowsPerHostAreBounded() {
    start("caps", "sluice");
    for (int batch = 0; batch < 50; batch++) {
      LargeFlow[] many = new LargeFlow[100];
      for (int i = 0; i < many.length; i++) {
        many[i] = LargeFlow.of(flow(1, 3, 1000 + 100 * batch + i), 20_000, false);
      }
      at.report("h1", List.of(many), List.of());
    }
    at.large("h2", 20_000, flow(2, 3));
    at.passMillis(999);
    assertThat(at.node().controller().queues().backgroundFlows())
        .hasSize(FlowIntake.FLOWS_PER_HOST + 1);
  }

  /** A tenant of 45 Mbit/s has its flow pass by s1/2, where TR would be 25. */
  @Test
  void capLeavesTenantGuarantees() throws Exception {
    start("caps", "microflow");
    at.node()
        .controller()
        .tenants()
        .put(
            Tenant.builder(TenantId.of("gold"))
                .guaranteeBitsPerSecond(45_000_000)
                .members(List.of(Member.ofPrefix(IpPrefix.parse("10.0.0.1/32"))))
                .build());
    for (int i = 0; i < 60; i++) {
      at.pair("h1", 1, 3);
      at.large("h1", 20_000 + i, flow(1, 3));
      at.large("h2", 20_000 + i, flow(2, 3));
      at.pass(1);
    }
    at.node().set("caps", "sluice");
    at.pass(1);
    at.large("h1", 20_000, flow(1, 3));
    at.large("h2", 20_000, flow(2, 3));
    at.hit("s2/3", 8);
    assertThat(at.lastCap(P1).bitsPerSecond()).as("not 25 Mbit/s").isEqualTo(45_000_000);
    assertThat(at.lastCap(P3).bitsPerSecond()).isEqualTo(EDGE / 4);
  }

  @Test
  void nothingIsSentWhileCapsAreOff() {
    start();
    at.large("h1", 20_000, flow(1, 3));
    at.hit("s2/3", 8);
    assertThat(at.caps(P1)).isEmpty();
    assertThat(queueSets(at.node().link, P1)).isEmpty();
  }

  @Test
  void disablingCapsEndsThemAtOnce() {
    start("caps", "microflow");
    at.large("h1", 20_000, flow(1, 3));
    at.hit("s2/3", 8);
    at.node().set("caps", "off");
    at.pass(1);
    assertNothingIsLeft(at.node());

    at.node().set("caps", "microflow", "enforcement", "on");
    at.pass(6);
    assertThat(at.lastQueues(P1).queues()).isNotEmpty();
    at.node().set("enforcement", "off");
    at.pass(1);
    assertNothingIsLeft(at.node());
  }

  private void assertNothingIsLeft(MemoryNode node) {
    assertThat(at.lastCap(P1).bitsPerSecond()).isZero();
    assertThat(at.lastQueues(P1)).isEqualTo(BackgroundQueues.of(port("s1/2"), List.of()));
    assertThat(at.lastQueues(P3).queues()).isEmpty();
    at.pass(100);
    assertThat(node.controller().queues().caps()).isEmpty();
  }

  @Test
  void stoppingNodeWithdrawsItsCaps() {
    start("caps", "microflow");
    at.large("h1", 20_000, flow(1, 3));
    at.hit("s2/3", 8);
    at.node().stop();
    assertThat(at.lastCap(P1).bitsPerSecond()).isZero();
    assertThat(at.lastQueues(P1).queues()).isEmpty();
  }

  @Test
  void deactivationWithdrawsCaps() {
    start("caps", "microflow");
    at.large("h1", 20_000, flow(1, 3));
    at.hit("s2/3", 8);
    at.node().settings.withdraw();
    assertThat(at.lastCap(P1).bitsPerSecond()).isZero();
    assertThat(at.lastQueues(P1).queues()).isEmpty();
  }

  @Test
  void reconnectedAgentReceivesItsQueuesAgain() {
    start("caps", "microflow");
    at.large("h1", 20_000, flow(1, 3));
    int before = queueSets(at.node().link, P1).size();
    at.node().link.disconnect(P1);
    at.hit("s2/3", 8);
    assertThat(at.caps(P1)).as("nobody is there").isEmpty();
    at.connectPortAgent(P1, "s1/2");
    assertThat(queueSets(at.node().link, P1)).hasSize(before + 1);
    assertThat(at.lastQueues(P1).queues()).hasSize(3);
    at.large("h1", 20_001, flow(1, 3));
    at.hit("s2/3", 8);
    assertThat(at.caps(P1)).isNotEmpty();
  }

  @Test
  void lossOfTheDownstreamAgentEndsCaps() {
    start("caps", "microflow");
    at.large("h1", 20_000, flow(1, 3));
    at.hit("s2/3", 8);
    at.node().link.disconnect(P2);
    at.pass(1);
    assertThat(at.lastCap(P1).bitsPerSecond()).isZero();
  }

  @Test
  void topologyChangeEndsAffectedCaps() {
    start("caps", "sluice");
    at.large("h1", 20_000, flow(1, 3));
    at.large("h2", 20_000, flow(2, 4));
    at.queue(P2, "s2/4", 8, 0);
    at.hit("s2/3", 8);
    at.network.setCapacity("s2/3", EDGE / 2);
    at.pass(1);
    assertThat(at.lastCap(P1).bitsPerSecond()).isZero();
    assertThat(at.lastCap(P3).bitsPerSecond()).as("s2/4 is as it was").isEqualTo(EDGE / 2);

    at.network.cut("s1/2", "s2/1");
    at.pass(6);
    at.large("h1", 30_000, flow(1, 3));
    int before = at.caps(P1).size();
    at.hit("s2/3", 8);
    assertThat(at.caps(P1)).hasSize(before);
    assertThat(at.lastQueues(P1).queues()).isEmpty();
    assertThat(at.lastCap(P3).bitsPerSecond()).isZero();
  }

  @Test
  void newEndpointsAreAddedToQueues() {
    start("caps", "microflow");
    at.node().link.connect(hello("h5", endpoint("h5/vm0", "02:00:00:00:01:09", "10.0.0.9")));
    at.network.seen("02:00:00:00:01:09", "s2/4", "10.0.0.9");
    at.pass(6);
    assertThat(at.lastQueues(P1).queues())
        .contains(queueFor("s2/4", "10.0.0.4", "fd00::4", "10.0.0.9"));
  }

  @Test
  void portWithOneQueueGetsNoCap() {
    at.start("caps", "microflow").connectPortAgent(P1, "s1/2");
    at.node().link.connect(HostHello.ofPortAgent(P2, "1.2.3", List.of(), List.of(port("s2/3"))));
    at.pass(1);
    at.large("h1", 20_000, flow(1, 3));
    at.reportQueue(P2, PortQueueSample.of(port("s2/3"), 10, 15_000, 0, 0, 0, 100, 150_000));
    at.pass(1);
    assertThat(at.caps(P1)).isEmpty();
    at.passMillis(200);
    assertThat(at.node().controller().queues().queues(port("s2/3")).orElseThrow().backlogPackets())
        .isEqualTo(100);
  }

  @Test
  void downstreamMasterDecidesCapsAndUpstreamMasterSendsQueues() {
    QueueNetwork two = new QueueNetwork("n1", "n2");
    two.network.setMaster("s2", "n2");
    two.start("caps", "microflow").connectPortAgents();
    MemoryNode n1 = two.nodes.get(0);
    MemoryNode n2 = two.nodes.get(1);
    assertThat(queueSets(n1.link, P1)).hasSize(1);
    assertThat(queueSets(n2.link, P1)).isEmpty();
    two.large("h1", 20_000, flow(1, 3));
    two.hit("s2/3", 8);
    assertThat(QueueNetwork.caps(n1.link, P1)).isEmpty();
    assertThat(QueueNetwork.caps(n2.link, P1)).containsExactly(cap("s1/2", "s2/3", EDGE / 2));
    two.passMillis(200);
    assertThat(n1.controller().queues().queues(port("s2/3"))).isEmpty();
    assertThat(n2.controller().queues().queues(port("s2/3"))).isPresent();
  }

  @Test
  void newMasterDecidesCaps() {
    QueueNetwork two = new QueueNetwork("n1", "n2");
    two.start("caps", "microflow").connectPortAgents();
    MemoryNode n1 = two.nodes.get(0);
    MemoryNode n2 = two.nodes.get(1);
    two.large("h1", 20_000, flow(1, 3));
    two.hit("s2/3", 8);
    long queuesTerm = lastTerm(n1, "BACKGROUND_QUEUES");
    assertThat(QueueNetwork.caps(n2.link, P1)).isEmpty();
    two.network.setMaster("s2", "n2");
    two.network.setMaster("s1", "n2");
    two.pass(8);
    int before = QueueNetwork.caps(n1.link, P1).size();
    two.large("h1", 30_000, flow(1, 3));
    two.hit("s2/3", 8);
    assertThat(QueueNetwork.caps(n1.link, P1)).hasSize(before);
    List<RateCap> taken = QueueNetwork.caps(n2.link, P1);
    assertThat(taken.get(taken.size() - 1)).isEqualTo(cap("s1/2", "s2/3", EDGE / 2));
    assertThat(queueSets(n2.link, P1)).hasSize(1);
    List<BackgroundQueues> old = queueSets(n1.link, P1);
    assertThat(old.get(old.size() - 1).queues()).as("taken back").isEmpty();
    assertThat(lastTerm(n1, "BACKGROUND_QUEUES"))
        .as("in the term in which they were set, so that the new master's hold")
        .isEqualTo(queuesTerm);
  }

  private static long lastTerm(MemoryNode node, String kind) {
    return node.link.sent.stream()
        .filter(sent -> sent.message.kind().name().equals(kind) && sent.host.equals(P1))
        .reduce((a, b) -> b)
        .orElseThrow()
        .term;
  }
}

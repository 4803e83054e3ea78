// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.micro.QueueNetwork.EDGE;
import static org.sluice.core.micro.QueueNetwork.P1;
import static org.sluice.core.micro.QueueNetwork.P2;
import static org.sluice.core.micro.QueueNetwork.flow;
import static org.sluice.core.testing.Samples.endpointId;
import static org.sluice.core.testing.Samples.port;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.sluice.api.JournalEntry;
import org.sluice.api.TenantId;
import org.sluice.api.link.BackgroundQueueSample;
import org.sluice.api.queue.ActiveCap;
import org.sluice.api.queue.BackgroundFlow;
import org.sluice.api.queue.BackgroundQueueStatus;
import org.sluice.api.queue.LevelQueue;
import org.sluice.api.queue.PortQueues;
import org.sluice.api.queue.QueueService;

/** What REST, shell, page and journal show of queues and caps. */
class QueueServiceTest {
  private final QueueNetwork at = new QueueNetwork("n1");

  private QueueService service() {
    return at.node().controller().queues();
  }

  private List<JournalEntry> journaled() {
    return at.node().journal.entries(-1, Optional.empty(), 1000).stream()
        .filter(entry -> entry.kind() == JournalEntry.Kind.CAP)
        .collect(Collectors.toList());
  }

  @Test
  void queuesAreShownAsTheirAgentsReportThem() {
    at.start("caps", "sluice").connectPortAgents();
    for (int i = 0; i < 440; i++) {
      at.queue(
          P1, "s1/2", 3, 31_250, BackgroundQueueSample.of(port("s2/3"), 6_250, 1, 7, EDGE / 2));
      at.pass(1);
    }
    at.passMillis(200);

    assertThat(service().queues()).extracting(PortQueues::port).contains(port("s1/2"));
    PortQueues queues = service().queues(port("s1/2")).orElseThrow();
    assertThat(queues.source()).isEqualTo(PortQueues.Source.PORT_AGENT);
    assertThat(queues.errorPackets()).isZero();
    assertThat(queues.capacityBitsPerSecond()).isEqualTo(1_000_000_000);
    assertThat(queues.backlogPackets()).isEqualTo(10);
    assertThat(queues.bufferPackets()).isEqualTo(36);
    assertThat(queues.ageMillis()).isBetween(0L, 400L);
    assertThat(queues.levels())
        .containsExactly(LevelQueue.of(0, 3, 50_000_000, 0), LevelQueue.of(1, 7, 0, 0));
    assertThat(queues.background())
        .containsExactly(BackgroundQueueStatus.of(port("s2/3"), 7, 10_000_000, EDGE / 2));

    PortQueues down = service().queues(port("s2/3")).orElseThrow();
    assertThat(down.capacityPackets()).isEqualTo(8);
    assertThat(down.thresholdPackets()).isEqualTo(5);
    assertThat(service().queues(port("s1/1"))).isEmpty();
  }

  @Test
  void queuesAreShownWhileCapsAreOff() {
    at.start().connectPortAgents();
    at.passMillis(200);
    PortQueues queues = service().queues(port("s2/3")).orElseThrow();
    assertThat(queues.thresholdPackets()).isZero();
    assertThat(queues.levels()).hasSize(2);
    at.node().link.disconnect(P2);
    at.passMillis(200);
    assertThat(service().queues(port("s2/3"))).isEmpty();
  }

  @Test
  void capsAreShownWithTheirEvidence() {
    at.start("caps", "sluice").connectPortAgents();
    for (int i = 0; i < 41; i++) {
      at.large("h1", 20_000 + 6_250 * i, flow(1, 3));
      at.hit("s2/3", 8);
    }

    assertThat(service().caps()).hasSize(1);
    ActiveCap cap = service().caps().get(0);
    assertThat(cap.upstream()).isEqualTo(port("s1/2"));
    assertThat(cap.downstream()).isEqualTo(port("s2/3"));
    assertThat(cap.bitsPerSecond()).isEqualTo(EDGE / 2);
    assertThat(cap.enforcer()).isEqualTo(ActiveCap.Enforcer.PORT_AGENT);
    assertThat(cap.queuePackets()).isEqualTo(8);
    assertThat(cap.thresholdPackets()).isEqualTo(5);
    assertThat(cap.alpha()).isEqualTo(1);
    assertThat(cap.beta()).isEqualTo(1);
    assertThat(cap.flows()).isEqualTo(1);
    assertThat(cap.endsInMillis()).isBetween(90L, 100L);
    at.passMillis(1000);
    assertThat(service().caps()).isEmpty();
  }

  @Test
  void backgroundFlowsAreShownUntilTheyAreIdle() {
    at.start("caps", "sluice").connectPortAgents();
    for (int i = 0; i < 250; i++) {
      at.large("h1", 20_000 + 6_250 * i, flow(1, 3), flow("fd00::1", "fd00::4"));
      at.pass(1);
    }
    assertThat(service().backgroundFlows()).hasSize(2);
    BackgroundFlow flow = service().backgroundFlows().get(0);
    assertThat(flow.flow()).isEqualTo(flow(1, 3));
    assertThat(flow.source()).isEqualTo(BackgroundFlow.Source.AGENT);
    assertThat(flow.endpoint()).contains(endpointId("h1/vm0"));
    assertThat(flow.tenant()).contains(TenantId.of("default"));
    assertThat(flow.sentBytes()).isGreaterThan(1_000_000);
    assertThat(flow.sentBitsPerSecond()).isEqualTo(10_000_000);
    assertThat(flow.ageMillis()).isBetween(200L, 1300L);
    assertThat(flow.ports()).containsExactly(port("s1/2"), port("s2/3"));
    at.passMillis(2500);
    assertThat(service().backgroundFlows()).isEmpty();
  }

  /** As if sampled by switches; the agent of its source is preferred. */
  @Test
  void sampledFlowsWithoutAnAgentAreShown() {
    at.start("caps", "sluice", "sflowPort", 6343).connectPortAgents();
    at.network.seen("02:00:00:00:01:77", "s1/1", "10.0.0.77");
    at.pass(2);
    at.node()
        .samples
        .report(
            SampledFlow.sends(flow("10.0.0.77", "10.0.0.3"), 50_000),
            SampledFlow.sends(flow(2, 3), 50_000));
    at.pass(1);
    at.large("h2", 60_000, flow(2, 3));
    at.hit("s2/3", 8);
    assertThat(at.caps(P1)).hasSize(1);
    at.passMillis(900);
    assertThat(service().backgroundFlows())
        .extracting(BackgroundFlow::source)
        .containsExactly(BackgroundFlow.Source.AGENT, BackgroundFlow.Source.SFLOW);
    at.node()
        .samples
        .report(SampledFlow.ended(flow("10.0.0.77", "10.0.0.3")), SampledFlow.ended(flow(2, 3)));
    at.large("h2", 70_000, flow(2, 3));
    at.passMillis(1000);
    assertThat(service().backgroundFlows()).hasSize(1);
  }

  @Test
  void agentReportsTakePrecedenceOverSamples() {
    at.start("caps", "sluice", "sflowPort", 6343).connectPortAgents();
    for (int i = 0; i < 250; i++) {
      at.node().samples.report(SampledFlow.sends(flow(2, 3), 9_000_000));
      at.large("h2", 20_000 + i, flow(2, 3));
      at.node().samples.report(SampledFlow.sends(flow(2, 3), 9_000_000));
      at.pass(1);
    }
    assertThat(service().backgroundFlows()).hasSize(1);
    BackgroundFlow flow = service().backgroundFlows().get(0);
    assertThat(flow.source()).isEqualTo(BackgroundFlow.Source.AGENT);
    assertThat(flow.sentBytes()).isBetween(20_000L, 20_250L);
    assertThat(flow.endpoint()).contains(endpointId("h2/vm0"));
  }

  @Test
  void beginAndEndOfCapsAreJournaled() {
    at.start("caps", "sluice").connectPortAgents();
    for (int i = 0; i < 100; i++) {
      at.large("h1", 20_000 + i, flow(1, 3));
      at.hit("s2/3", i % 40 == 0 ? 8 : 5 + i % 4);
    }
    at.passMillis(900);
    assertThat(journaled()).as("no renewal within a second").hasSize(1);
    JournalEntry begun = journaled().get(0);
    assertThat(begun.port()).contains(port("s2/3"));
    assertThat(begun.law()).isEqualTo("sluice");
    assertThat(begun.decision())
        .isEqualTo(
            "Background flows by "
                + port("s1/2")
                + " are capped to 50 Mbit/s, by the port's"
                + " agent");
    assertThat(begun.evidence())
        .isEqualTo(
            "micro queue 8 packets, threshold 5; alpha 1.00, beta 1.00; 1 background flows;"
                + " guarantees of their endpoints 0 Mbit/s");
    at.passMillis(300);
    assertThat(journaled()).hasSize(2);
    assertThat(journaled().get(0).decision()).endsWith("are not capped any longer");
    assertThat(journaled().get(0).evidence()).matches("capped \\d+ times in 5\\d\\d ms, to 50 .*");
  }

  @Test
  void largeChangesOfCapsAreJournaled() {
    at.start("caps", "sluice").connectPortAgents();
    for (int i = 0; i < 600; i++) {
      at.large("h1", 20_000 + i, flow(1, 3));
      at.hit("s2/3", i < 300 ? 8 : 5);
    }
    assertThat(journaled()).hasSize(2);
    assertThat(journaled().get(0).decision()).endsWith("are capped to 100 Mbit/s now");
  }
}

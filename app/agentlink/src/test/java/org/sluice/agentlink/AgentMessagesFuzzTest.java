// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.List;
import java.util.Set;
import org.sluice.agentlink.proto.AgentMessage;
import org.sluice.api.HostId;
import org.sluice.api.link.FlowNews;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.GroupSample;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.Loss;
import org.sluice.api.link.LossReport;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.PortQueueObservation;

/** Whatever an agent says, it is converted to what makes sense, or refused with a reason. */
class AgentMessagesFuzzTest {
  private static final HostId HOST = HostId.of("h1");

  @FuzzTest
  void anyAgent(byte[] input) {
    AgentMessage message;
    try {
      message = AgentMessage.parseFrom(input);
    } catch (InvalidProtocolBufferException e) {
      return; // gRPC ends the call.
    }
    PortQueueReader queues = new PortQueueReader(HOST, Set.of("of:0000000000000001"));
    InboundReader reader = new InboundReader(HOST, queues, new HostCounters());
    FlowReader flows = new FlowReader(HOST, reader, queues);
    try {
      reader.hello(TestAgent.helloBody("h1").build());
      switch (message.getBodyCase()) {
        case HELLO:
          check(reader.hello(message.getHello()));
          break;
        case OBSERVATION:
          check(reader.observation(message.getObservation(), 0));
          break;
        case PORT_OBSERVATION:
          queues.ports(List.of("of:0000000000000001/5"));
          check(queues.observation(message.getPortObservation(), 0));
          break;
        case FLOW_REPORT:
          check(flows.report(message.getFlowReport(), 0));
          break;
        case FLOW_REQUEST:
          flows.request(message.getFlowRequest());
          break;
        case LOSS_REPORT:
          queues.ports(List.of("of:0000000000000001/5"));
          check(flows.losses(message.getLossReport(), 0));
          break;
        case EVENT:
          check(reader.event(message.getEvent()));
          break;
        default:
      }
    } catch (BadMessageException e) {
      assertThat(e.getMessage()).isNotBlank().matches("\\p{Print}*").hasSizeLessThan(2000);
    }
  }

  private static void check(HostHello hello) {
    assertThat(hello.host()).isEqualTo(HOST);
    assertThat(hello.agentVersion()).matches("\\p{Print}*");
    assertThat(hello.missingFeatures()).allMatch(feature -> feature.matches("\\p{Print}*"));
    assertThat(hello.endpoints()).allMatch(endpoint -> endpoint.id().host().equals(HOST));
  }

  private static void check(HostObservation observation) {
    assertThat(observation.intervalNanos()).isPositive();
    for (PairSample pair : observation.pairs()) {
      assertThat(pair.source().isIpv4()).isEqualTo(pair.destination().isIpv4());
      assertThat(pair.cePackets()).isBetween(0L, pair.receivedPackets());
      assertThat(pair.sentBytes()).isNotNegative();
    }
    observation
        .endpoints()
        .forEach(
            endpoint -> {
              assertThat(endpoint.endpoint().host()).isEqualTo(HOST);
              assertThat(endpoint.rateBitsPerSecond()).isNotNegative();
              assertThat(endpoint.groups())
                  .extracting(GroupSample::ceShare)
                  .allMatch(share -> share >= 0 && share <= 1);
            });
  }

  private static void check(PortQueueObservation observation) {
    assertThat(observation.intervalNanos()).isPositive();
    assertThat(observation.toString()).doesNotContain("of:0000000000000002");
  }

  private static void check(FlowReport report) {
    for (FlowNews news : report.flows()) {
      assertThat(news.flow().isExact()).isTrue();
      assertThat(news.deliveredBytes()).isNotNegative();
      assertThat(news.roundTripNanos()).isNotNegative();
      assertThat(news.progressAgeNanos()).isBetween(0L, InboundReader.MAX_INTERVAL_NANOS);
    }
  }

  private static void check(LossReport report) {
    for (Loss loss : report.losses()) {
      assertThat(loss.flow().isExact()).isTrue();
      assertThat(loss.payloadBytes()).isBetween(1, 65_535);
      assertThat(loss.sequence()).isBetween(0L, 0xffff_ffffL);
    }
  }

  private static void check(HostEvent event) {
    assertThat(event.host()).isEqualTo(HOST);
    assertThat(event.detail()).matches("\\p{Print}*");
  }
}

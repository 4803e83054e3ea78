// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.Set;
import org.sluice.agentlink.proto.AgentMessage;
import org.sluice.api.HostId;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.FlowSizeReport;
import org.sluice.api.link.FlowUpdate;
import org.sluice.api.link.GroupSample;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.Loss;
import org.sluice.api.link.LossReport;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.TcpHintReport;
import org.sluice.api.link.UplinkHandler;
import org.sluice.api.policy.AppliedHint;

/** Any message of an agent is decoded to something valid, or refused with a reason. */
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
    AgentMessageDecoder decoder =
        new AgentMessageDecoder(HOST, Set.of("of:0000000000000001"), new HostCounters());
    try {
      decoder.hello(TestAgent.helloBody("h1").addSwitchPorts("of:0000000000000001/5").build());
      if (message.getBodyCase() == AgentMessage.BodyCase.HELLO) {
        check(decoder.hello(message.getHello()));
      } else {
        decoder.decode(message, 0).dispatch(new Checker());
      }
    } catch (BadMessageException e) {
      assertThat(e.getMessage()).isNotBlank().matches("\\p{Print}*").hasSizeLessThan(2000);
    }
  }

  private static final class Checker implements UplinkHandler {
    @Override
    public void observed(HostObservation observation) {
      check(observation);
    }

    @Override
    public void portQueuesObserved(PortQueueObservation observation) {
      check(observation);
    }

    @Override
    public void flowsReported(FlowReport report) {
      check(report);
    }

    @Override
    public void lossesReported(LossReport report) {
      check(report);
    }

    @Override
    public void flowSizesReported(FlowSizeReport report) {
      check(report);
    }

    @Override
    public void tcpHintsReported(TcpHintReport report) {
      check(report);
    }

    @Override
    public void eventReported(HostEvent event) {
      check(event);
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
    // Next switches' ports may be named, but nothing is reported of them.
    assertThat(observation.ports())
        .extracting(sample -> sample.port().datapath())
        .doesNotContain("of:0000000000000002");
    observation
        .ports()
        .forEach(
            sample -> {
              assertThat(sample.levels()).allMatch(level -> level.backlogPackets() >= 0);
              assertThat(sample.background()).allMatch(queue -> queue.capBitsPerSecond() >= 0);
            });
  }

  private static void check(TcpHintReport report) {
    assertThat(report.host()).isEqualTo(HOST);
    assertThat(report.revision()).isNotNegative();
    assertThat(report.refused()).allMatch(reason -> reason.matches("\\p{Print}*"));
    for (AppliedHint hint : report.hints()) {
      assertThat(hint.routes()).isNotNegative();
      assertThat(hint.controlGroups()).isNotNegative();
      assertThat(hint.hint().initialWindowSegments()).isNotNegative();
      assertThat(hint.hint().rtoMinNanos()).isNotNegative();
      assertThat(hint.hint().pacingBitsPerSecond()).isNotNegative();
      assertThat(hint.hint().congestionControl()).matches("\\p{Print}*");
    }
  }

  private static void check(FlowSizeReport report) {
    report
        .large()
        .forEach(
            large -> {
              assertThat(large.flow().isExact()).isTrue();
              assertThat(large.sentBytes()).isNotNegative();
            });
    assertThat(report.ended())
        .allMatch(ended -> ended.bytes() >= 0 && ended.flows() > 0)
        .allMatch(ended -> ended.flows() <= FlowSizeDecoder.MAX_ENDED);
  }

  private static void check(FlowReport report) {
    for (FlowUpdate update : report.flows()) {
      assertThat(update.flow().isExact()).isTrue();
      assertThat(update.deliveredBytes()).isNotNegative();
      assertThat(update.roundTripNanos()).isNotNegative();
      assertThat(update.progressAgeNanos()).isBetween(0L, FieldChecks.MAX_INTERVAL_NANOS);
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

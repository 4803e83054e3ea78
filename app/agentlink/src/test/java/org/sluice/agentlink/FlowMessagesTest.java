// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.sluice.agentlink.proto.AgentMessage;
import org.sluice.agentlink.proto.DeadlineRequest;
import org.sluice.agentlink.proto.FlowId;
import org.sluice.agentlink.proto.FlowQuery;
import org.sluice.agentlink.proto.FlowReport;
import org.sluice.agentlink.proto.FlowRequest;
import org.sluice.agentlink.proto.FlowUpdate;
import org.sluice.agentlink.proto.Loss;
import org.sluice.agentlink.proto.LossReport;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;

/** Messages about TCP flows: decoded, or refused with the field and the reason. */
class FlowMessagesTest {
  private static final String PORT = "of:0000000000000001/5";
  private static final HostId H1 = HostId.of("h1");
  private static final FlowKey FLOW =
      FlowKey.of(IpAddress.parse("10.0.0.1"), 40_000, IpAddress.parse("10.0.0.5"), 5001);

  private final HostCounters counters = new HostCounters();
  private final AgentMessageDecoder decoder =
      new AgentMessageDecoder(H1, Set.of("of:0000000000000001"), counters);

  @BeforeEach
  void greet() throws Exception {
    decoder.hello(TestAgent.helloBody("h1").addSwitchPorts(PORT).build());
  }

  private org.sluice.api.link.FlowReport decode(FlowReport report, long receivedNanos)
      throws BadMessageException {
    AgentMessage message = AgentMessage.newBuilder().setFlowReport(report).build();
    return decoder.decode(message, receivedNanos).flowReport();
  }

  private org.sluice.api.link.FlowRequest decode(FlowRequest request) throws BadMessageException {
    AgentMessage message = AgentMessage.newBuilder().setFlowRequest(request).build();
    return decoder.decode(message, 0).flowRequest();
  }

  private org.sluice.api.link.LossReport decode(LossReport report, long receivedNanos)
      throws BadMessageException {
    AgentMessage message = AgentMessage.newBuilder().setLossReport(report).build();
    return decoder.decode(message, receivedNanos).lossReport();
  }

  static FlowId.Builder id() {
    return FlowId.newBuilder()
        .setSource(TestAgent.OWN_IP)
        .setSourcePort(40_000)
        .setDestination(TestAgent.ip(10, 0, 0, 5))
        .setDestinationPort(5001);
  }

  static FlowReport.Builder report() {
    return FlowReport.newBuilder()
        .setComplete(true)
        .addFlows(
            FlowUpdate.newBuilder()
                .setFlow(id())
                .setState(FlowUpdate.State.STATE_ESTABLISHED)
                .setDeliveredBytes(70_000)
                .setRoundTripNanos(300_000));
  }

  static LossReport.Builder losses() {
    return LossReport.newBuilder()
        .addLosses(
            Loss.newBuilder()
                .setPort(PORT)
                .setFlow(id())
                .setSequence(-2)
                .setPayloadBytes(1448)
                .setKept(9));
  }

  @Test
  void readsAReport() throws Exception {
    org.sluice.api.link.FlowReport read = decode(report().build(), 42);
    assertThat(read.host()).isEqualTo(H1);
    assertThat(read.sentNanos()).isEqualTo(42);
    assertThat(read.complete()).isTrue();
    assertThat(read.flows())
        .containsExactly(
            org.sluice.api.link.FlowUpdate.of(
                FLOW, org.sluice.api.link.FlowUpdate.State.ESTABLISHED, 70_000, 300_000, false));
  }

  @Test
  void readsAcknowledgedSequenceAsUnsigned() throws Exception {
    FlowReport.Builder report = report();
    report.getFlowsBuilder(0).setAcknowledgedSequence(-2);
    assertThat(decode(report.build(), 0).flows().get(0).acknowledgedSequence())
        .hasValue(4_294_967_294L);
  }

  @Test
  void readsTimeOfTheLatestAcknowledgement() throws Exception {
    FlowReport.Builder report = report();
    report.getFlowsBuilder(0).setProgressAgeNanos(600_000_000_000L);
    assertThat(decode(report.build(), 0).flows().get(0).progressAgeNanos())
        .isEqualTo(600_000_000_000L);
  }

  @Test
  void ignoresOnlyFlowsOfForeignEndpoints() throws Exception {
    FlowReport.Builder report = report();
    report.addFlows(
        report.getFlows(0).toBuilder().setFlow(id().setSource(TestAgent.ip(10, 0, 0, 2))));
    assertThat(decode(report.build(), 0).flows()).hasSize(1);
    assertThat(counters.foreignSamples.sum()).isEqualTo(1);
  }

  static Stream<Arguments> malformedReports() {
    return Stream.of(
        flow("flow.source has 3", f -> f.setFlow(id().setSource(bytes(3)))),
        flow("flow.destination has 0", f -> f.getFlowBuilder().clearDestination()),
        flow("two versions", f -> f.setFlow(id().setDestination(bytes(16)))),
        flow("both 10.0.0.1", f -> f.setFlow(id().setDestination(TestAgent.OWN_IP))),
        flow("sourcePort", f -> f.setFlow(id().setSourcePort(65_536))),
        flow("4294967295", f -> f.setFlow(id().setDestinationPort(-1))),
        flow("both ports", f -> f.setFlow(id().setSourcePort(0))),
        flow("delivered_bytes", f -> f.setDeliveredBytes(-1)),
        flow("round_trip_nanos", f -> f.setRoundTripNanos(-1)),
        flow("round_trip_nanos", f -> f.setRoundTripNanos(600_000_000_001L)),
        flow("progress_age_nanos", f -> f.setProgressAgeNanos(-1)),
        flow("progress_age_nanos", f -> f.setProgressAgeNanos(600_000_000_001L)),
        flow("state 0", f -> f.clearState()),
        flow("state 9", f -> f.setStateValue(9)));
  }

  private static Arguments flow(String named, Consumer<FlowUpdate.Builder> spoil) {
    return Arguments.of(named, spoil);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("malformedReports")
  void refusesAMalformedReportWhole(String named, Consumer<FlowUpdate.Builder> spoil) {
    FlowReport.Builder report = report().addFlows(report().getFlows(0));
    spoil.accept(report.getFlowsBuilder(1));
    assertThatThrownBy(() -> decode(report.build(), 0))
        .isInstanceOf(BadMessageException.class)
        .hasMessageContaining(named);
  }

  @Test
  void refusesTooManyFlowsAndLosses() {
    FlowReport.Builder report = FlowReport.newBuilder();
    for (int i = 0; i <= FlowDecoder.MAX_FLOWS; i++) {
      report.addFlows(FlowUpdate.getDefaultInstance());
    }
    assertThatThrownBy(() -> decode(report.build(), 0)).hasMessageContaining("at most 65536");
    LossReport.Builder losses = LossReport.newBuilder();
    for (int i = 0; i <= FlowDecoder.MAX_LOSSES; i++) {
      losses.addLosses(Loss.getDefaultInstance());
    }
    assertThatThrownBy(() -> decode(losses.build(), 0)).hasMessageContaining("at most 4096");
  }

  @Test
  void readsRequestsOfApplications() throws Exception {
    org.sluice.api.link.FlowRequest register =
        decode(
            FlowRequest.newBuilder()
                .setRequest(7)
                .setRegister(
                    DeadlineRequest.newBuilder()
                        .setFlow(id().setSourcePort(0))
                        .setSizeBytes(400_000)
                        .setDueInNanos(300_000_000)
                        .setBeginsInNanos(20_000_000)
                        .setForce(true))
                .build());
    assertThat(register.request()).isEqualTo(7);
    assertThat(register.register())
        .contains(
            org.sluice.api.deadline.DeadlineRequest.of(
                    FlowKey.of(FLOW.source(), 0, FLOW.destination(), 5001),
                    400_000,
                    300_000_000,
                    true)
                .beginningIn(20_000_000));
    assertThat(decode(FlowRequest.newBuilder().setRequest(8).setRemove(3).build()).remove())
        .hasValue(3);
    org.sluice.api.link.FlowRequest list =
        decode(FlowRequest.newBuilder().setQuery(FlowQuery.getDefaultInstance()).build());
    assertThat(list.register()).isEmpty();
    assertThat(list.remove()).isEmpty();
  }

  @Test
  void rejectsInvalidRequests() {
    assertThatThrownBy(() -> decode(FlowRequest.getDefaultInstance()))
        .hasMessageContaining("register, remove or query");
    assertThatThrownBy(
            () ->
                decode(
                    FlowRequest.newBuilder()
                        .setRegister(DeadlineRequest.newBuilder().setFlow(id().setSource(bytes(5))))
                        .build()))
        .hasMessageContaining("register.flow.source has 5");
  }

  @Test
  void readsLosses() throws Exception {
    assertThat(decode(losses().build(), 5))
        .isEqualTo(
            org.sluice.api.link.LossReport.of(
                H1,
                5,
                List.of(
                    org.sluice.api.link.Loss.of(
                        PortId.parse(PORT), FLOW, 4_294_967_294L, 1448, 9))));
  }

  @Test
  void readsLossesWithTheirFrames() throws Exception {
    LossReport.Builder whole = losses();
    whole.getLossesBuilder(0).setFrame(bytes(1514));
    assertThat(decode(whole.build(), 5).losses().get(0).frame()).hasValue(new byte[1514]);
    assertThat(decode(losses().build(), 5).losses().get(0).frame()).isEmpty();
  }

  static Stream<Arguments> malformedLosses() {
    return Stream.of(
        loss("did not name", l -> l.setPort("of:0000000000000001/6")),
        loss("both ports", l -> l.setFlow(id().setDestinationPort(0))),
        loss("payload_bytes is 0", l -> l.setPayloadBytes(0)),
        loss("payload_bytes is 65536", l -> l.setPayloadBytes(65_536)),
        loss("frame has 1448 bytes", l -> l.setFrame(bytes(1448))),
        loss("frame has 2049 bytes", l -> l.setFrame(bytes(2049))));
  }

  private static Arguments loss(String named, Consumer<Loss.Builder> spoil) {
    return Arguments.of(named, spoil);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("malformedLosses")
  void refusesMalformedLosses(String named, Consumer<Loss.Builder> spoil) {
    LossReport.Builder losses = losses();
    spoil.accept(losses.getLossesBuilder(0));
    assertThatThrownBy(() -> decode(losses.build(), 0))
        .isInstanceOf(BadMessageException.class)
        .hasMessageContaining(named);
  }

  private static ByteString bytes(int length) {
    return ByteString.copyFrom(new byte[length]);
  }
}

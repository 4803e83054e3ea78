// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import org.sluice.agentlink.proto.ControllerMessage;
import org.sluice.agentlink.proto.EndedFlows;
import org.sluice.agentlink.proto.FlowSizes;
import org.sluice.agentlink.proto.LargeFlow;
import org.sluice.agentlink.proto.PortObservation;
import org.sluice.agentlink.proto.PortQueueSample;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.BackgroundQueue;
import org.sluice.api.link.BackgroundQueueSample;
import org.sluice.api.link.BackgroundQueues;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.FlowSizeReport;
import org.sluice.api.link.LevelQueueSample;
import org.sluice.api.link.PortThresholds;
import org.sluice.api.link.RateCap;

/** Messages about queues, caps and sizes of flows: decoded, encoded, or refused with the reason. */
class QueueMessagesTest {
  private static final PortId PORT = PortId.parse("of:0000000000000001/5");
  private static final PortId DOWNSTREAM = PortId.parse("of:0000000000000002/3");
  private static final PortId OTHER = PortId.parse("of:0000000000000002/4");
  private static final FlowKey FLOW =
      FlowKey.of(IpAddress.parse("10.0.0.1"), 40_000, IpAddress.parse("10.0.0.5"), 5001);

  private final HostCounters counters = new HostCounters();
  private final Outbox outbox = new Outbox(counters);
  private final AgentMessageDecoder decoder =
      new AgentMessageDecoder(HostId.of("h1"), Set.of(PORT.datapath()), counters);

  @BeforeEach
  void greet() throws Exception {
    decoder.hello(TestAgent.helloBody("h1").addSwitchPorts(PORT.toString()).build());
  }

  private static PortQueueSample.Builder sample() {
    PortQueueSample.Builder sample =
        PortQueueSample.newBuilder().setPort(PORT.toString()).setBufferPackets(100);
    sample.addLevelsBuilder().setSentPackets(2).setSentBytes(3000).setBacklogPackets(4);
    sample.addLevelsBuilder().setSentPackets(9).setSentBytes(9000).setDroppedPackets(1);
    sample
        .addBackgroundBuilder()
        .setDownstream(DOWNSTREAM.toString())
        .setSentBytes(4500)
        .setDroppedPackets(1)
        .setBacklogPackets(7)
        .setCapBitsPerSecond(8_000_000);
    return sample;
  }

  private org.sluice.api.link.PortQueueSample decode(PortQueueSample.Builder sample)
      throws BadMessageException {
    AgentMessage message =
        AgentMessage.newBuilder()
            .setPortObservation(
                PortObservation.newBuilder().setIntervalNanos(5_000_000).addPorts(sample))
            .build();
    return decoder.decode(message, 1).portQueues().ports().get(0);
  }

  private static FlowSizes.Builder sizes() {
    return FlowSizes.newBuilder()
        .addLarge(
            LargeFlow.newBuilder()
                .setFlow(FlowMessagesTest.id())
                .setSentBytes(70_000)
                .setEnded(true))
        .addEnded(EndedFlows.newBuilder().setBytes(12_287).setFlows(3));
  }

  private FlowSizeReport decode(FlowSizes.Builder sizes) throws BadMessageException {
    return decoder.decode(AgentMessage.newBuilder().setFlowSizes(sizes).build(), 42).flowSizes();
  }

  @Test
  void readsLevelsAndBackgroundQueues() throws Exception {
    org.sluice.api.link.PortQueueSample read = decode(sample());
    assertThat(read.bufferPackets()).isEqualTo(100);
    assertThat(read.levels())
        .containsExactly(LevelQueueSample.of(2, 3000, 0, 4), LevelQueueSample.of(9, 9000, 1, 0));
    assertThat(read.background())
        .containsExactly(BackgroundQueueSample.of(DOWNSTREAM, 4500, 1, 7, 8_000_000));
  }

  @Test
  void readsSizesOfFlows() throws Exception {
    FlowSizeReport read = decode(sizes());
    assertThat(read.receivedNanos()).isEqualTo(42);
    assertThat(read.large()).containsExactly(org.sluice.api.link.LargeFlow.of(FLOW, 70_000, true));
    assertThat(read.ended()).containsExactly(org.sluice.api.link.EndedFlows.of(12_287, 3));
  }

  @Test
  void ignoresFlowsOfOtherHosts() throws Exception {
    FlowSizes.Builder sizes = sizes();
    sizes.getLargeBuilder(0).getFlowBuilder().setSource(TestAgent.ip(10, 0, 0, 9));
    assertThat(decode(sizes).large()).isEmpty();
    assertThat(decoder.takeFirstForeign())
        .hasValueSatisfying(about -> assertThat(about).contains("10.0.0.9"));
  }

  static Stream<Arguments> badSamples() {
    return Stream.of(
        bad("ports[].buffer_packets is 100001", s -> s.setBufferPackets(100_001)),
        bad("ports[].buffer_packets is 4294967295", s -> s.setBufferPackets(-1)),
        bad("ports[].levels has 5 entries; at most 4", QueueMessagesTest::addThreeLevels),
        bad("ports[].levels[].backlog_packets", s -> s.getLevelsBuilder(0).setBacklogPackets(-1)),
        bad("ports[].background[].sent_bytes", s -> s.getBackgroundBuilder(0).setSentBytes(-1)),
        bad(
            "ports[].background[].downstream is 'x'",
            s -> s.getBackgroundBuilder(0).setDownstream("x")));
  }

  private static void addThreeLevels(PortQueueSample.Builder sample) {
    for (int i = 0; i < 3; i++) {
      sample.addLevelsBuilder();
    }
  }

  private static Arguments bad(String reason, Consumer<PortQueueSample.Builder> change) {
    return Arguments.of(reason, change);
  }

  @ParameterizedTest
  @MethodSource("badSamples")
  void rejectsInvalidQueues(String reason, Consumer<PortQueueSample.Builder> change) {
    PortQueueSample.Builder sample = sample();
    change.accept(sample);
    assertThatThrownBy(() -> decode(sample))
        .isInstanceOf(BadMessageException.class)
        .hasMessageContaining(reason);
  }

  static Stream<Arguments> badSizes() {
    return Stream.of(
        badSize("large[].sent_bytes", s -> s.getLargeBuilder(0).setSentBytes(-1)),
        badSize("large[].flow is", s -> s.getLargeBuilder(0).getFlowBuilder().setSourcePort(0)),
        badSize("ended[].flows is 0", s -> s.getEndedBuilder(0).setFlows(0)),
        badSize("ended[].flows is 1048577", s -> s.getEndedBuilder(0).setFlows(1_048_577)),
        badSize("ended[].bytes", s -> s.getEndedBuilder(0).setBytes(-1)));
  }

  private static Arguments badSize(String reason, Consumer<FlowSizes.Builder> change) {
    return Arguments.of(reason, change);
  }

  @ParameterizedTest
  @MethodSource("badSizes")
  void rejectsInvalidSizes(String reason, Consumer<FlowSizes.Builder> change) {
    FlowSizes.Builder sizes = sizes();
    change.accept(sizes);
    assertThatThrownBy(() -> decode(sizes))
        .isInstanceOf(BadMessageException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void onlyTheNewestQueuesOfAPortAndTheNewestOfEachCapAreQueued() {
    Set<IpAddress> first = Set.of(IpAddress.parse("10.0.0.5"));
    Set<IpAddress> second = Set.of(IpAddress.parse("2001:db8::5"));
    outbox.add(1, DownlinkMessage.ofRateCaps(List.of(cap(DOWNSTREAM, 5), cap(OTHER, 7))));
    outbox.add(1, DownlinkMessage.ofBackgroundQueues(queues(first)));
    outbox.add(1, DownlinkMessage.ofBackgroundQueues(queues(second)));
    outbox.add(1, DownlinkMessage.ofRateCaps(List.of(cap(DOWNSTREAM, 6))));

    ControllerMessage queues = outbox.poll().build();
    assertThat(queues.getTerm()).isEqualTo(1);
    assertThat(queues.getBackgroundQueues().getPort()).isEqualTo(PORT.toString());
    assertThat(queues.getBackgroundQueues().getQueues(0).getDownstream())
        .isEqualTo(DOWNSTREAM.toString());
    assertThat(queues.getBackgroundQueues().getQueues(0).getDestinations(0).size()).isEqualTo(16);
    assertThat(outbox.poll().build().getRateCaps().getCapsList())
        .extracting(c -> c.getDownstream() + "=" + c.getBitsPerSecond() + "/" + c.getHoldNanos())
        .containsExactly(OTHER + "=7/100000000", DOWNSTREAM + "=6/100000000");
    assertThat(outbox.poll()).isNull();
    assertThat(counters.supersededItems.sum()).isEqualTo(2);
  }

  @Test
  void capsOfTwoTermsAreSentInSeparateMessages() {
    outbox.add(1, DownlinkMessage.ofRateCaps(List.of(cap(DOWNSTREAM, 5))));
    outbox.add(2, DownlinkMessage.ofRateCaps(List.of(cap(OTHER, 7))));
    assertThat(outbox.poll().build().getTerm()).isEqualTo(1);
    assertThat(outbox.poll().build().getTerm()).isEqualTo(2);
    assertThat(outbox.poll()).isNull();
  }

  @Test
  void onlyTheNewestThresholdsOfAPortAreQueued() {
    outbox.add(3, DownlinkMessage.ofMarkingThresholds(List.of(thresholds(15, 5))));
    outbox.add(3, DownlinkMessage.ofMarkingThresholds(List.of(thresholds(9, 11))));

    ControllerMessage message = outbox.poll().build();
    assertThat(message.getTerm()).isEqualTo(3);
    assertThat(message.getMarkingThresholds().getPortsList())
        .extracting(p -> p.getPort() + "=" + p.getPacketsList() + "/" + p.getHoldNanos())
        .containsExactly(PORT + "=[9, 11]/1000000000");
    assertThat(outbox.poll()).isNull();
  }

  @Test
  void markingThresholdsAreSent() throws Exception {
    assertThat(decode(sample()).markThresholdPackets()).isZero();
    org.sluice.api.link.PortQueueSample marking = decode(sample().setMarkThresholdPackets(8));
    assertThat(marking.markThresholdPackets()).isEqualTo(8);
    assertThat(marking.bufferPackets()).isEqualTo(100);
    assertThatThrownBy(() -> decode(sample().setMarkThresholdPackets(-1)))
        .isInstanceOf(BadMessageException.class)
        .hasMessageContaining("mark_threshold_packets");
  }

  @Test
  void theOldestOfTooManyQueuesIsDroppedAndCounted() {
    for (int i = 0; i <= QueueOutbox.MAX_PORTS; i++) {
      PortId port = PortId.of(PORT.datapath(), i + 1);
      outbox.add(1, DownlinkMessage.ofBackgroundQueues(BackgroundQueues.of(port, List.of())));
    }
    assertThat(counters.droppedItems.sum()).isEqualTo(1);
    assertThat(outbox.poll().build().getBackgroundQueues().getPort())
        .isEqualTo(PORT.datapath() + "/2");
  }

  private static PortThresholds thresholds(int first, int second) {
    return PortThresholds.of(PORT, List.of(first, second), 1_000_000_000);
  }

  private static RateCap cap(PortId downstream, long bitsPerSecond) {
    return RateCap.of(PORT, downstream, bitsPerSecond, 100_000_000);
  }

  private static BackgroundQueues queues(Set<IpAddress> destinations) {
    return BackgroundQueues.of(PORT, List.of(BackgroundQueue.of(DOWNSTREAM, destinations)));
  }
}

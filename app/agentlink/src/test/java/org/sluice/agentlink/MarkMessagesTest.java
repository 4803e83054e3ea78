// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.util.Arrays;
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
import org.sluice.agentlink.proto.MarkReport;
import org.sluice.agentlink.proto.PairMarks;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.link.DownlinkMessage;

/** Messages about marks that are passed on: decoded, encoded, or refused with the reason. */
class MarkMessagesTest {
  private static final ByteString FAR_IP = TestAgent.ip(10, 0, 0, 5);

  private final HostCounters counters = new HostCounters();
  private final Outbox outbox = new Outbox(counters);
  private final AgentMessageDecoder decoder =
      new AgentMessageDecoder(HostId.of("h1"), Set.of(), counters);

  @BeforeEach
  void greet() throws Exception {
    decoder.hello(TestAgent.helloBody("h1").build());
  }

  private static PairMarks.Builder pair() {
    return PairMarks.newBuilder()
        .setSource(FAR_IP)
        .setDestination(TestAgent.OWN_IP)
        .setInstance(0xfedcba98)
        .setSequence(9)
        .setPackets(30)
        .setMarks(3)
        .setBytes(45_000);
  }

  private static org.sluice.api.link.PairMarks marks(String source, long sequence, long marks) {
    return org.sluice.api.link.PairMarks.of(
        IpAddress.parse(source),
        IpAddress.parse("10.0.0.1"),
        0xfedcba98,
        sequence,
        10 * marks,
        marks,
        15_000 * marks);
  }

  private org.sluice.api.link.MarkReport decode(PairMarks.Builder... pairs)
      throws BadMessageException {
    MarkReport.Builder report = MarkReport.newBuilder();
    for (PairMarks.Builder pair : pairs) {
      report.addPairs(pair);
    }
    return decoder.decode(AgentMessage.newBuilder().setMarkReport(report).build(), 1).markReport();
  }

  @Test
  void readsReports() throws Exception {
    assertThat(decode(pair()))
        .isEqualTo(
            org.sluice.api.link.MarkReport.of(HostId.of("h1"), List.of(marks("10.0.0.5", 9, 3))));
  }

  /** A host could slow any other's endpoints down. */
  @Test
  void ignoresPairsToOtherHosts() throws Exception {
    assertThat(decode(pair().setDestination(TestAgent.ip(10, 0, 0, 9)), pair()).pairs())
        .containsExactly(marks("10.0.0.5", 9, 3));
    assertThat(counters.foreignSamples.sum()).isEqualTo(1);
  }

  static Stream<Arguments> badPairs() {
    return Stream.of(
        bad("pairs[].source has 3 bytes", p -> p.setSource(ByteString.copyFrom(new byte[3]))),
        bad("pairs[].destination has 0 bytes", p -> p.clearDestination()),
        bad("mixes IPv4 and IPv6", p -> p.setSource(ByteString.copyFrom(new byte[16]))),
        bad("pairs[].sequence is 18446744073709551615", p -> p.setSequence(-1)),
        bad("pairs[].packets is 18446744073709551615", p -> p.setPackets(-1)),
        bad("pairs[].marks is 18446744073709551615", p -> p.setMarks(-1)),
        bad("pairs[].bytes is 18446744073709551615", p -> p.setBytes(-1)));
  }

  private static Arguments bad(String reason, Consumer<PairMarks.Builder> change) {
    return Arguments.of(reason, change);
  }

  @ParameterizedTest
  @MethodSource("badPairs")
  void rejectsInvalidReports(String reason, Consumer<PairMarks.Builder> change) {
    PairMarks.Builder pair = pair();
    change.accept(pair);
    assertThatThrownBy(() -> decode(pair))
        .isInstanceOf(BadMessageException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void rejectsMorePairsThanAHostMayHave() {
    PairMarks.Builder[] pairs = new PairMarks.Builder[HostLimits.PAIRS + 1];
    Arrays.setAll(pairs, i -> pair());
    assertThatThrownBy(() -> decode(pairs))
        .isInstanceOf(BadMessageException.class)
        .hasMessageContaining("pairs has 16385 entries; at most 16384");
  }

  @Test
  void onlyTheNewestTotalsOfAPairAreQueued() {
    outbox.add(
        0,
        DownlinkMessage.ofReturnedMarks(List.of(marks("10.0.0.5", 1, 0), marks("10.0.0.6", 1, 0))));
    outbox.add(0, DownlinkMessage.ofUndeliveredMarks(List.of(marks("10.0.0.7", 1, 4))));
    outbox.add(0, DownlinkMessage.ofReturnedMarks(List.of(marks("10.0.0.5", 9, 3))));

    ControllerMessage returned = outbox.poll().build();
    assertThat(returned.getReturnedMarks().getPairsList()).hasSize(2);
    assertThat(returned.getReturnedMarks().getPairs(1)).isEqualTo(pair().build());
    assertThat(outbox.poll().build().getUndeliveredMarks().getPairs(0).getMarks()).isEqualTo(4);
    assertThat(outbox.poll()).isNull();
    assertThat(counters.supersededItems.sum()).isEqualTo(1);
  }

  @Test
  void welcomeAnnouncesRelayOfMarks() {
    outbox.welcome("1.2.3");
    assertThat(outbox.poll().getWelcome().getRelaysMarks()).isTrue();
  }
}

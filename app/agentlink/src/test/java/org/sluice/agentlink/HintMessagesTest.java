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
import org.sluice.agentlink.proto.AppliedTcpHint;
import org.sluice.agentlink.proto.ControllerMessage;
import org.sluice.agentlink.proto.TcpHintReport;
import org.sluice.api.HostId;
import org.sluice.api.IpPrefix;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.TcpHints;
import org.sluice.api.policy.AppliedHint;
import org.sluice.api.policy.PrefixHint;
import org.sluice.api.policy.TcpHint;

/** Messages about hints for TCP: decoded, encoded, or refused with the reason. */
class HintMessagesTest {
  private static final TcpHint HINT =
      TcpHint.builder()
          .initialWindowSegments(20)
          .rtoMinNanos(2_000_000)
          .congestionControl("dctcp")
          .pacingBitsPerSecond(5_000_000)
          .build();

  private final HostCounters counters = new HostCounters();
  private final Outbox outbox = new Outbox(counters);
  private final AgentMessageDecoder decoder =
      new AgentMessageDecoder(HostId.of("h1"), Set.of(), counters);

  @BeforeEach
  void greet() throws Exception {
    decoder.hello(TestAgent.helloBody("h1").build());
  }

  private static TcpHintReport.Builder report() {
    return TcpHintReport.newBuilder()
        .setRevision(7)
        .addHints(
            AppliedTcpHint.newBuilder()
                .setInitialWindowSegments(20)
                .setRtoMinNanos(4_000_000)
                .setCongestionControl("dctcp")
                .setPacingBitsPerSecond(5_000_000)
                .setRoutes(3)
                .setCgroups(1))
        .addRefused("congestion control bbr: not loaded");
  }

  private org.sluice.api.link.TcpHintReport decode(TcpHintReport.Builder report)
      throws BadMessageException {
    AgentMessage message = AgentMessage.newBuilder().setTcpHintReport(report).build();
    return decoder.decode(message, 1).tcpHintReport();
  }

  @Test
  void readsReports() throws Exception {
    TcpHint rounded =
        TcpHint.builder()
            .initialWindowSegments(20)
            .rtoMinNanos(4_000_000)
            .congestionControl("dctcp")
            .pacingBitsPerSecond(5_000_000)
            .build();
    assertThat(decode(report()))
        .isEqualTo(
            org.sluice.api.link.TcpHintReport.of(
                HostId.of("h1"),
                7,
                List.of(AppliedHint.of(rounded, 3, 1)),
                List.of("congestion control bbr: not loaded")));
  }

  @Test
  void controlCharactersOfAgentTextAreReplacedAndItsLengthIsBounded() throws Exception {
    assertThat(decode(report().setRefused(0, "a\u001b[31mb" + "c".repeat(500))).refused().get(0))
        .isEqualTo("a?[31mb" + "c".repeat(193));
  }

  static Stream<Arguments> badReports() {
    return Stream.of(
        bad("revision is 18446744073709551615", r -> r.setRevision(-1)),
        bad("hints[].routes is 4294967295", r -> r.getHintsBuilder(0).setRoutes(-1)),
        bad("hints[].cgroups is 4294967295", r -> r.getHintsBuilder(0).setCgroups(-1)),
        bad(
            "hints[].initial_window_segments is 4294967295",
            r -> r.getHintsBuilder(0).setInitialWindowSegments(-1)),
        bad("hints[].rto_min_nanos is", r -> r.getHintsBuilder(0).setRtoMinNanos(-1)),
        bad(
            "hints[].pacing_bits_per_second is",
            r -> r.getHintsBuilder(0).setPacingBitsPerSecond(-1)),
        bad("hints has 1026 entries; at most 1025", r -> addHints(r, 1025)),
        bad("refused has 257 entries; at most 256", r -> addRefused(r, 256)));
  }

  private static void addHints(TcpHintReport.Builder report, int count) {
    for (int i = 0; i < count; i++) {
      report.addHintsBuilder();
    }
  }

  private static void addRefused(TcpHintReport.Builder report, int count) {
    for (int i = 0; i < count; i++) {
      report.addRefused("no");
    }
  }

  private static Arguments bad(String reason, Consumer<TcpHintReport.Builder> change) {
    return Arguments.of(reason, change);
  }

  @ParameterizedTest
  @MethodSource("badReports")
  void rejectsInvalidReports(String reason, Consumer<TcpHintReport.Builder> change) {
    TcpHintReport.Builder report = report();
    change.accept(report);
    assertThatThrownBy(() -> decode(report))
        .isInstanceOf(BadMessageException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void onlyTheNewestHintsAreQueued() {
    outbox.add(3, hints(1, PrefixHint.of(List.of(), TcpHint.NONE)));
    outbox.add(
        3,
        hints(
            2,
            PrefixHint.of(
                List.of(IpPrefix.parse("10.0.0.4/30"), IpPrefix.parse("fd00::/64")), HINT),
            PrefixHint.of(List.of(), HINT)));
    outbox.add(2, hints(9));

    ControllerMessage sent = outbox.poll().build();
    assertThat(outbox.poll()).isNull();
    assertThat(sent.getTerm()).isEqualTo(3);
    assertThat(sent.getTcpHints().getRevision()).isEqualTo(2);
    org.sluice.agentlink.proto.TcpHint first = sent.getTcpHints().getHints(0);
    assertThat(first.getInitialWindowSegments()).isEqualTo(20);
    assertThat(first.getRtoMinNanos()).isEqualTo(2_000_000);
    assertThat(first.getCongestionControl()).isEqualTo("dctcp");
    assertThat(first.getPacingBitsPerSecond()).isEqualTo(5_000_000);
    assertThat(first.getDestinations(0).getIp())
        .isEqualTo(ByteString.copyFrom(new byte[] {10, 0, 0, 4}));
    assertThat(first.getDestinations(0).getLength()).isEqualTo(30);
    assertThat(first.getDestinations(1).getIp().size()).isEqualTo(16);
    assertThat(sent.getTcpHints().getHints(1).getDestinationsCount()).isZero();
    assertThat(counters.supersededItems.sum()).isEqualTo(2);
  }

  private static DownlinkMessage hints(long revision, PrefixHint... hints) {
    return DownlinkMessage.ofTcpHints(TcpHints.of(revision, List.of(hints)));
  }
}

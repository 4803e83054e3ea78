// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpPrefix;
import org.sluice.api.link.TcpHints;
import org.sluice.api.policy.PrefixHint;
import org.sluice.api.policy.TcpHint;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.network.Network;
import org.sluice.sim.topology.LeafSpine;
import org.sluice.sim.topology.LinkPlan;
import org.sluice.sim.topology.QueueFactory;

/** By hand, from the formats' own documents. */
class OracleTrafficTest {
  /** IPv4, TCP with timestamps: of a data packet and its acknowledgement. */
  private static final int TWO_HEADERS = 2 * 52;

  /** gRPC 5, HTTP/2 9, TLS 1.3 5 + 1 + 16, the message's envelope 9. */
  private static final int AGENT_LINK = 5 + 9 + 22 + 9;

  @Test
  void switchRepliesInOpenFlow() {
    // 24 of request; 16 + 10 ports of 112 are 1136 bytes in one segment.
    assertThat(OracleTraffic.counters(10)).isEqualTo(24 + TWO_HEADERS + 1136 + TWO_HEADERS);
    // 70 ports: 7856 bytes in 6 segments, 3 acknowledgements.
    assertThat(OracleTraffic.counters(70)).isEqualTo(24 + TWO_HEADERS + 7856 + 9 * 52);
  }

  @Test
  void rowHasOnlyDestinationRacks() {
    long[] row = new long[80];
    assertThat(OracleTraffic.row(row)).isZero();
    row[3] = 100;
    row[79] = 20_000;
    // Numbers 2, bytes 1 + 3; a tag and a length for either field.
    assertThat(OracleTraffic.row(row)).isEqualTo(2 + 2 + 2 + 4 + AGENT_LINK + TWO_HEADERS);
  }

  @Test
  void setOfHintsHasItsParametersAlone() {
    TcpHint hint = TcpHint.builder().initialWindowSegments(20).rtoMinNanos(2_000_000).build();
    // Revision; tag and length, then tag and one byte, tag and eight.
    assertThat(OracleTraffic.hints(TcpHints.of(5, List.of(PrefixHint.of(List.of(), hint)))))
        .isEqualTo(2 + 2 + 2 + 9 + AGENT_LINK + TWO_HEADERS);
    assertThat(OracleTraffic.hints(TcpHints.of(5, List.of())))
        .isEqualTo(2 + AGENT_LINK + TWO_HEADERS);
    TcpHint other = TcpHint.builder().congestionControl("dctcp").build();
    List<IpPrefix> prefixes = List.of(IpPrefix.parse("10.0.0.0/30"), IpPrefix.parse("10.0.0.4/32"));
    // Each prefix: tag, length, address of 1 + 1 + 4, length of 2.
    assertThat(OracleTraffic.hints(TcpHints.of(5, List.of(PrefixHint.of(prefixes, other)))))
        .isEqualTo(2 + 2 + 7 + 2 * 10 + AGENT_LINK + TWO_HEADERS);
  }

  /** Leaves have 6 ports, spines 2; rows of both racks come every 60 s, or every 30. */
  @Test
  void collectionIsReckonedForEveryCycle() {
    Network network = new Network(new Scheduler(), new RandomStreams(5));
    LinkPlan plan =
        LinkPlan.symmetric(
            new LinkParameters(1_000_000_000, 25_000, 0), QueueFactory.dropTail(128));
    LeafSpine.build(network, 2, 2, 4, plan, plan);
    long counters = 2 * OracleTraffic.counters(6) + 2 * OracleTraffic.counters(2);
    long row = OracleTraffic.row(100_000_000, 100_000_000);
    double minute = (counters / 60.0 + 8 * row / 60.0) * 8 / 1000;
    assertThat(OracleTraffic.collectionKilobits(network, 60_000_000_000L))
        .isCloseTo(minute, within(1e-9));
    double second = (counters + 8 * row / 30.0) * 8 / 1000;
    assertThat(OracleTraffic.collectionKilobits(network, 1_000_000_000L))
        .isCloseTo(second, within(1e-9));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sluice.api.policy.TcpHint;

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
  void hintHasItsParametersAlone() {
    TcpHint hint = TcpHint.builder().initialWindowSegments(20).rtoMinNanos(2_000_000).build();
    // Tag and one byte; tag and 2000 us in two.
    assertThat(OracleTraffic.hint(hint, 0)).isEqualTo(2 + 3 + AGENT_LINK + TWO_HEADERS);
    assertThat(OracleTraffic.hint(TcpHint.NONE, 0)).isEqualTo(AGENT_LINK + TWO_HEADERS);
    TcpHint other = TcpHint.builder().congestionControl("dctcp").build();
    // Each prefix: tag, length, address of 1 + 1 + 4, length of 2.
    assertThat(OracleTraffic.hint(other, 2)).isEqualTo(7 + 2 * 10 + AGENT_LINK + TWO_HEADERS);
  }
}

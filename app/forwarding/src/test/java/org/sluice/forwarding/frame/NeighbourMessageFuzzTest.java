// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.frame;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.sluice.api.MacAddress;

/** Whatever frame a switch hands up, it is a neighbour's message, a segment or something else. */
class NeighbourMessageFuzzTest {
  private static final MacAddress OWNER = MacAddress.parse("02:00:00:00:00:05");

  @FuzzTest
  void anyFrame(byte[] bytes) {
    EthernetFrame.parse(bytes).ifPresent(NeighbourMessageFuzzTest::check);
  }

  private static void check(EthernetFrame frame) {
    assertThat(frame.bytes().length).isGreaterThanOrEqualTo(14);
    Segment.parse(frame).ifPresent(segment -> assertThat(segment.connection().isExact()).isTrue());
    NeighbourMessage.parse(frame)
        .ifPresent(
            message -> {
              assertThat(message.sender().isIpv4()).isEqualTo(message.target().isIpv4());
              if (message.isQuestion()) {
                assertThat(EthernetFrame.parse(message.answer(OWNER)))
                    .flatMap(NeighbourMessage::parse)
                    .hasValueSatisfying(
                        answer -> {
                          assertThat(answer.isQuestion()).isFalse();
                          assertThat(answer.senderMac()).isEqualTo(OWNER);
                          assertThat(answer.sender()).isEqualTo(message.target());
                        });
              }
            });
  }
}

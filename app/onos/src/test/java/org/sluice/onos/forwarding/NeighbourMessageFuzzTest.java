// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.onlab.packet.DeserializationException;
import org.onlab.packet.Ethernet;
import org.onlab.packet.MacAddress;

/** Whatever frame a switch hands up, it is a neighbour's message or something else. */
class NeighbourMessageFuzzTest {
  private static final MacAddress OWNER = MacAddress.valueOf("02:00:00:00:00:05");

  @FuzzTest
  void anyFrame(byte[] bytes) {
    Ethernet frame;
    try {
      frame = Ethernet.deserializer().deserialize(bytes, 0, bytes.length);
    } catch (DeserializationException | RuntimeException e) {
      return; // ONOS does not get that far either.
    }
    NeighbourMessage.parse(frame)
        .ifPresent(
            message -> {
              assertThat(message.sender().version()).isEqualTo(message.target().version());
              if (message.isQuestion()) {
                assertThat(message.answer(OWNER).serialize()).isNotEmpty();
              }
            });
  }
}

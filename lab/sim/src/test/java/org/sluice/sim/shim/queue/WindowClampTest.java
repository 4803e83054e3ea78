// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.queue;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;
import org.sluice.sim.packet.Protocol;

class WindowClampTest {
  private static final long WIDE = 1_000_000;
  private final WindowClamp clamp = new WindowClamp(1500);
  private final PacketPool pool = new PacketPool();
  private long roundTripNanos = 100_000;

  private long window(int flags, byte protocol) {
    Packet packet = pool.take();
    packet.protocol = protocol;
    packet.flags = flags;
    packet.windowBytes = WIDE;
    clamp.apply(packet, 1, roundTripNanos);
    return packet.windowBytes;
  }

  private long window() {
    return window(Packet.ACK, Protocol.TCP);
  }

  @Test
  void isTheClassRateTimesRoundTripAndFiveMilliseconds() {
    clamp.setLimit(1, 250_000_000L, true, 1);
    // 31.25 MB/s x 5.1 ms = 159,375 B: 107 segments.
    assertThat(window()).isEqualTo(107 * 1500);
    assertThat(window(Packet.SYN | Packet.ACK, Protocol.TCP)).isEqualTo(107 * 1500);
  }

  @Test
  void isDividedAmongBulkFlowsButNotUnderTwoSegments() {
    clamp.setLimit(1, 250_000_000L, true, 4);
    assertThat(window()).isEqualTo(27 * 1500);
    clamp.setLimit(1, 250_000_000L, true, 1000);
    assertThat(window()).isEqualTo(2 * 1500);
  }

  @Test
  void keepsOtherPacketsUnchanged() {
    assertThat(window()).isEqualTo(WIDE);
    clamp.setLimit(1, 250_000_000L, true, 1);
    assertThat(window(Packet.SYN, Protocol.TCP)).isEqualTo(WIDE);
    assertThat(window(0, Protocol.UDP)).isEqualTo(WIDE);
    Packet narrow = pool.take();
    narrow.protocol = Protocol.TCP;
    narrow.flags = Packet.ACK;
    narrow.windowBytes = 3000;
    clamp.apply(narrow, 1, roundTripNanos);
    assertThat(narrow.windowBytes).isEqualTo(3000);
    clamp.setLimit(1, 1_000_000_000L, false, 1);
    assertThat(window()).isEqualTo(WIDE);
  }

  @Test
  void ignoresSmallChangesOfTheLimit() {
    clamp.setLimit(1, 250_000_000L, true, 1);
    clamp.setLimit(1, 230_000_000L, true, 1);
    assertThat(window()).isEqualTo(107 * 1500);
    clamp.setLimit(1, 200_000_000L, true, 1);
    assertThat(window()).isEqualTo(85 * 1500);
  }

  @Test
  void usesTheRoundTripOfEachPair() {
    clamp.setLimit(1, 250_000_000L, true, 1);
    roundTripNanos = 10_000_000;
    // 31.25 MB/s x 15 ms = 468,750 B: 313 segments.
    assertThat(window()).isEqualTo(313 * 1500);
    roundTripNanos = 0;
    assertThat(window()).as("unknown").isEqualTo(WIDE);
    roundTripNanos = 20_000_001;
    assertThat(window()).as("long").isEqualTo(WIDE);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.PacketPool;

/** Reassembly against a set of bytes. */
class ReassemblyProperties {
  private static final int UNIT = 10;

  @Property(tries = 300)
  void tracksReceivedBytes(
      @ForAll @Size(max = 150) List<@IntRange(min = 0, max = 120) Integer> segments,
      @ForAll @IntRange(min = 1, max = 5) int units) {
    Reassembly data = new Reassembly();
    BitSet plain = new BitSet();
    Packet packet = new PacketPool().take();
    for (int segment : segments) {
      int from = segment * UNIT;
      int to = (segment + units) * UNIT;
      boolean fresh = plain.nextClearBit(from) < to;
      plain.set(from, to);
      assertThat(data.accept(from, to)).isEqualTo(fresh);
      assertThat(data.next()).isEqualTo(plain.nextClearBit(0));
      assertThat(data.hasBlocks()).isEqualTo(plain.length() > data.next());
      int blocks = data.report(packet);
      assertThat(packet.sackBlocks).isEqualTo(blocks);
      for (int i = 0; i < blocks; i++) {
        int left = (int) packet.sackLeft[i];
        assertThat(left).isGreaterThan((int) data.next());
        assertThat(plain.get(left - 1)).isFalse();
        assertThat(plain.nextClearBit(left)).isEqualTo((int) packet.sackRight[i]);
        for (int j = 0; j < i; j++) {
          assertThat(packet.sackLeft[j]).isNotEqualTo(packet.sackLeft[i]);
        }
      }
      if (from > data.next()) {
        // The first block holds the segment that has just come.
        assertThat(packet.sackLeft[0]).isLessThanOrEqualTo(from);
        assertThat(packet.sackRight[0]).isGreaterThanOrEqualTo(to);
      }
    }
  }
}

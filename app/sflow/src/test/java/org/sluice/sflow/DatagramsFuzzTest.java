// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.sluice.api.IpAddress;

/**
 * Whatever a listed switch, or who passes for one, sends: datagrams one behind the other, each
 * behind two bytes for its length. Bit 15 of these makes version and address of what follows right.
 */
class DatagramsFuzzTest {
  private static final IpAddress AGENT = IpAddress.parse("10.9.0.1");
  private static final int MAX_FLOWS = 16;
  private static final int HEADER_BYTES = 12;
  private static final long STEP_NANOS = 300_000_000L;

  private final Counters counters = new Counters();
  private final RecordingListener listener = new RecordingListener();

  @FuzzTest
  void anyDatagrams(byte[] input) {
    SflowConfig config =
        SflowConfig.builder().agents(Set.of(AGENT)).maxFlows(MAX_FLOWS).thresholdBytes(0).build();
    DatagramIntake intake = new DatagramIntake(config, listener, counters, 0);
    long now = 0;
    for (byte[] datagram : datagrams(input)) {
      now += STEP_NANOS;
      DatagramIntake.Outcome outcome =
          intake.take(Addresses.inet(AGENT), ByteBuffer.wrap(datagram), now);
      intake.turn(now);
      if (outcome == DatagramIntake.Outcome.TAKEN) {
        assertThatAByteMoreOrLessIsNoticed(datagram);
      }
      assertThat(counters.flows.sum()).isBetween(0L, (long) MAX_FLOWS);
    }
    intake.turn(now + 600_000_000_000L);

    assertThat(counters.flows.sum()).as("all are idle").isZero();
    assertThat(counters.listenerFailures.sum()).isZero();
    assertThat(listener.flows).allMatch(DatagramsFuzzTest::makesSense);
  }

  /** And takes no good sample along. */
  private static void assertThatAByteMoreOrLessIsNoticed(byte[] datagram) {
    List<String> whole = delivered(datagram).flows;
    RecordingSink longer = delivered(Arrays.copyOf(datagram, datagram.length + 1));
    assertThat(longer.flows).isEqualTo(whole);
    assertThat(longer.malformed).containsExactly(DatagramFault.TRAILING);
    byte[] cut = Arrays.copyOf(datagram, datagram.length - 1);
    if (new DatagramDecoder().check(ByteBuffer.wrap(cut))) {
      RecordingSink shorter = delivered(cut);
      assertThat(shorter.flows).isEqualTo(whole.subList(0, shorter.flows.size()));
      assertThat(shorter.malformed).containsExactly(DatagramFault.TRUNCATED);
    }
  }

  private static RecordingSink delivered(byte[] datagram) {
    DatagramDecoder decoder = new DatagramDecoder();
    RecordingSink sink = new RecordingSink();
    assertThat(decoder.check(ByteBuffer.wrap(datagram))).isTrue();
    decoder.deliver(sink);
    return sink;
  }

  private static boolean makesSense(FlowEstimate estimate) {
    return estimate.flow().isExact()
        && estimate.samples() > 0
        && estimate.sentBytes() > 0
        && estimate.standardErrorBytes() >= 0
        && Double.isFinite(estimate.standardErrorBytes());
  }

  private static List<byte[]> datagrams(byte[] input) {
    List<byte[]> all = new ArrayList<>();
    ByteBuffer rest = ByteBuffer.wrap(input);
    while (rest.remaining() > 2) {
      int how = rest.getShort();
      byte[] datagram = new byte[Math.min(how & 0x7fff, rest.remaining())];
      rest.get(datagram);
      if (how < 0 && datagram.length >= HEADER_BYTES) {
        ByteBuffer.wrap(datagram).putInt(5).putInt(1);
      }
      all.add(datagram);
    }
    return all;
  }
}

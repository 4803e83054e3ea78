// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.sluice.api.counters.CounterTargets;
import org.sluice.api.counters.PortSample;

/**
 * Whatever a switch says, in whatever state the connection is. The first byte of an input states
 * how far the handshake has come; then messages follow, each behind a byte that states how much of
 * its header is made right, and a byte for its length.
 */
class SwitchRepliesFuzzTest {
  private static final int RIGHT_XID = 1;
  private static final int RIGHT_LENGTH = 2;
  private static final int MAX_ANSWERS = 1000;

  private final RecordingListener listener = new RecordingListener();
  private final Verdict verdict = new Verdict();
  private long lastXid;
  private int answers;

  /** Why the connection ended. */
  private static final class Verdict implements SwitchConnection.Owner {
    private String reason = "";

    @Override
    public boolean ready(String datapath, SwitchConnection connection) {
      return true;
    }

    @Override
    public Optional<CounterTargets> targets(String datapath) {
      return Optional.of(CounterTargets.of(Map.of(5L, 1_000_000L, 6L, 0L), Map.of(1L, 5L)));
    }

    @Override
    public void gone(Optional<String> datapath, SwitchConnection connection, String why) {
      reason = why;
    }
  }

  @FuzzTest
  void anySwitch(byte[] input) {
    EmbeddedChannel channel =
        new EmbeddedChannel(new FrameDecoder(), new SwitchConnection(verdict, listener));
    ByteBuffer rest = ByteBuffer.wrap(input);
    shakeHands(channel, rest.hasRemaining() ? rest.get() & 7 : 0);
    while (rest.remaining() > 2 && channel.isOpen()) {
      int how = rest.get();
      byte[] message = new byte[Math.min(rest.get() & 0xff, rest.remaining())];
      rest.get(message);
      channel.writeInbound(Unpooled.wrappedBuffer(righted(message, how)));
      readAnswers(channel);
    }
    channel.finishAndReleaseAll();

    channel.checkException();
    assertThat(answers).isLessThan(MAX_ANSWERS);
    assertThat(listener.ports).allMatch(SwitchRepliesFuzzTest::makesSense);
    assertThat(listener.meters).allMatch(s -> s.intervalNanos() > 0 && s.packets() >= 0);
    // An unforeseen exception ends the connection as well, but is a fault of ours.
    assertThat(verdict.reason).doesNotStartWith("java.").doesNotStartWith("io.netty");
  }

  private static boolean makesSense(PortSample sample) {
    return sample.intervalNanos() > 0
        && sample.rxBytes() >= 0
        && sample.txBytes() >= 0
        && sample.txDroppedPackets() >= PortSample.NOT_COUNTED
        && sample.rxBitsPerSecond() >= 0
        && Double.isFinite(sample.txBitsPerSecond());
  }

  private void shakeHands(EmbeddedChannel channel, int steps) {
    readAnswers(channel);
    for (int step = 0; step < steps && step < 4; step++) {
      channel.writeInbound(Unpooled.wrappedBuffer(SwitchMessages.bytes(handshake(step))));
      readAnswers(channel);
    }
  }

  private OFMessage handshake(int step) {
    switch (step) {
      case 0:
        return Messages.hello(1);
      case 1:
        return SwitchMessages.role(OFControllerRole.ROLE_EQUAL, 0, lastXid);
      case 2:
        return SwitchMessages.role(OFControllerRole.ROLE_SLAVE, 0, lastXid);
      default:
        return SwitchMessages.features(1, 0, lastXid);
    }
  }

  private byte[] righted(byte[] message, int how) {
    if (message.length < Frame.HEADER_BYTES) {
      return message;
    }
    byte[] right = Arrays.copyOf(message, message.length);
    ByteBuffer header = ByteBuffer.wrap(right);
    if ((how & RIGHT_XID) != 0) {
      header.putInt(4, (int) lastXid);
    }
    if ((how & RIGHT_LENGTH) != 0) {
      header.putShort(2, (short) right.length);
    }
    return right;
  }

  private void readAnswers(EmbeddedChannel channel) {
    for (ByteBuf sent = channel.readOutbound(); sent != null; sent = channel.readOutbound()) {
      lastXid = sent.getUnsignedInt(4);
      answers++;
      sent.release();
    }
  }
}

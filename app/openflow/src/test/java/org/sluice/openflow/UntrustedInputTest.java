// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.sluice.api.counters.CounterTargets;

/** Whatever bytes come, a connection takes them or ends; nothing else happens. */
class UntrustedInputTest {
  private final RecordingListener listener = new RecordingListener();

  private EmbeddedChannel channel() {
    return new EmbeddedChannel(
        new FrameDecoder(), new SwitchConnection(new AlwaysReady(), listener));
  }

  private static final class AlwaysReady implements SwitchConnection.Owner {
    @Override
    public boolean ready(String datapath, SwitchConnection connection) {
      return true;
    }

    @Override
    public Optional<CounterTargets> targets(String datapath) {
      return Optional.of(CounterTargets.of(Map.of(5L, 0L), Map.of()));
    }

    @Override
    public void gone(Optional<String> datapath, SwitchConnection connection, String reason) {}
  }

  private static long lastXid(EmbeddedChannel channel) {
    long xid = 0;
    for (ByteBuf sent = channel.readOutbound(); sent != null; sent = channel.readOutbound()) {
      xid = sent.getUnsignedInt(4);
      sent.release();
    }
    return xid;
  }

  private static void send(EmbeddedChannel channel, OFMessage message) {
    channel.writeInbound(Unpooled.wrappedBuffer(SwitchMessages.bytes(message)));
  }

  /** A channel whose switch is being polled. */
  private EmbeddedChannel polled() {
    EmbeddedChannel channel = channel();
    send(channel, Messages.hello(1));
    send(channel, SwitchMessages.role(OFControllerRole.ROLE_EQUAL, 0, lastXid(channel)));
    send(channel, SwitchMessages.role(OFControllerRole.ROLE_SLAVE, 0, lastXid(channel)));
    send(channel, SwitchMessages.features(1, 0, lastXid(channel)));
    return channel;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "00", // no version
        "ff", // no version
        "474554202f20485454502f312e31", // a browser
        "16030100", // TLS
        "0400000000000001", // length 0
        "0400000700000001", // length 7
        "0402000800000001", // an echo before HELLO
        "0400000c0000000100010000", // HELLO with an element of no length
      })
  void garbageEndsTheConnectionAtOnce(String hex) {
    EmbeddedChannel channel = channel();
    channel.writeInbound(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex)));

    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void messageMayArriveByteByByte() {
    EmbeddedChannel channel = channel();
    for (byte each : SwitchMessages.bytes(Messages.hello(1))) {
      channel.writeInbound(Unpooled.wrappedBuffer(new byte[] {each}));
    }
    assertThat(channel.isOpen()).isTrue();
    assertThat(lastXid(channel)).isGreaterThan(1);
  }

  @Test
  void truncatedReplyEndsTheConnection() {
    EmbeddedChannel channel = polled();
    byte[] reply = SwitchMessages.bytes(SwitchMessages.port(lastXid(channel), 5, 1, 1, false));
    byte[] cut = Arrays.copyOf(reply, reply.length - 9);
    cut[3] = (byte) cut.length;
    channel.writeInbound(Unpooled.wrappedBuffer(cut));

    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void targetsSetAfterTheEndStartNoTimer() {
    EmbeddedChannel channel = polled();
    SwitchConnection connection = channel.pipeline().get(SwitchConnection.class);
    channel.close();
    connection.setTargets(Optional.of(CounterTargets.of(Map.of(7L, 0L), Map.of())));
    channel.runPendingTasks();

    assertThat(channel.runScheduledPendingTasks()).isEqualTo(-1);
  }

  @Property(tries = 500)
  void anyBytesAreAcceptedOrEndTheConnection(@ForAll @Size(max = 300) byte[] bytes) {
    EmbeddedChannel channel = channel();
    channel.writeInbound(Unpooled.wrappedBuffer(bytes));
    channel.finishAndReleaseAll();
    channel.checkException();
  }

  /** Replies with flipped bytes: samples come out of them only with an interval above 0. */
  @Property(tries = 500)
  void mutatedRepliesAreAcceptedOrEndTheConnection(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 8) int changes) {
    EmbeddedChannel channel = polled();
    byte[] reply = SwitchMessages.bytes(SwitchMessages.port(lastXid(channel), 5, 1, 1, false));
    Random random = new Random(seed);
    for (int i = 0; i < changes; i++) {
      reply[random.nextInt(reply.length)] = (byte) random.nextInt();
    }
    channel.writeInbound(Unpooled.wrappedBuffer(reply));
    channel.finishAndReleaseAll();
    channel.checkException();
    assertThat(listener.ports).allMatch(sample -> sample.intervalNanos() > 0);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sluice.sflow.TestDatagram.AGENT;
import static org.sluice.sflow.TestDatagram.datagram;
import static org.sluice.sflow.TestDatagram.flowSample;
import static org.sluice.sflow.TestDatagram.tcp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.api.IpAddress;
import org.sluice.api.SluiceException;

/** The collector on a true socket. */
class SflowCollectorTest {
  private static final String LISTED = "127.0.0.2";
  private static final String FOREIGN = "127.0.0.3";
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(20);

  private final RecordingListener listener = new RecordingListener();

  private SflowCollector start(SflowConfig.Builder config) throws SluiceException {
    return SflowCollector.start(
        config.address("127.0.0.1").port(0).agents(Set.of(IpAddress.parse(LISTED))).build(),
        listener);
  }

  private static DatagramChannel sender(String address, SflowCollector to) throws IOException {
    DatagramChannel channel =
        DatagramChannel.open().bind(new InetSocketAddress(InetAddress.getByName(address), 0));
    return channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), to.port()));
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    Instant deadline = Instant.now().plus(LONGEST_WAIT);
    while (!condition.getAsBoolean()) {
      assertThat(Instant.now()).as("deadline").isBefore(deadline);
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  private static ByteBuffer valid(int sequence) {
    return ByteBuffer.wrap(
        datagram(AGENT, 0, sequence, 1, flowSample(sequence, 3, 10, 0, 3, 4, tcp(7, 1000, 0))));
  }

  @Test
  void datagramsOfAListedSwitchAreReported() throws Exception {
    try (SflowCollector collector = start(SflowConfig.builder());
        DatagramChannel listed = sender(LISTED, collector);
        DatagramChannel foreign = sender(FOREIGN, collector)) {
      foreign.write(valid(1));
      listed.write(ByteBuffer.allocate(100));
      for (int sequence = 1; sequence <= 5; sequence++) {
        listed.write(valid(sequence));
      }
      await(() -> listener.flows.stream().anyMatch(each -> each.sentBytes() == 5L * 10 * 1000));
      SflowCounts counts = collector.counts();
      assertThat(counts.datagrams()).isEqualTo(7);
      assertThat(counts.foreign()).isEqualTo(1);
      assertThat(counts.lastForeign()).contains(IpAddress.parse(FOREIGN));
      assertThat(counts.lastMalformed()).contains(IpAddress.parse(LISTED));
      assertThat(counts.lastOverQuota()).isEmpty();
      assertThat(counts.malformed()).containsEntry(DatagramFault.VERSION, 1L);
      assertThat(counts.kernelDropped()).hasValue(0);
      assertThat(counts.receiveBufferBytes()).isPositive();
    }
  }

  @Test
  void listensOnAllAddressesByDefault() throws Exception {
    SflowConfig config =
        SflowConfig.builder().port(0).agents(Set.of(IpAddress.parse(LISTED))).build();
    try (SflowCollector collector = SflowCollector.start(config, listener);
        DatagramChannel listed = sender(LISTED, collector)) {
      listed.write(valid(1));
      await(() -> collector.counts().flowSamples() == 1);
      assertThat(collector.counts().kernelDropped()).hasValue(0);
    }
  }

  /** A short form of the bench: valid samples between random bytes, all of them accounted for. */
  @Test
  void validSamplesBetweenRandomBytesAreFound() throws Exception {
    int sent = 20_000;
    try (SflowCollector collector = start(SflowConfig.builder().datagramsPerSecond(1_000_000));
        DatagramChannel listed = sender(LISTED, collector)) {
      Random random = new Random(1);
      byte[] noise = new byte[200];
      for (int i = 1; i <= sent / 2; i++) {
        random.nextBytes(noise);
        listed.write(ByteBuffer.wrap(noise));
        listed.write(valid(i));
      }
      await(
          () -> {
            SflowCounts counts = collector.counts();
            return counts.datagrams() + counts.kernelDropped().orElse(0) == sent;
          });
      SflowCounts counts = collector.counts();
      assertThat(counts.allMalformed() + counts.flowSamples()).isEqualTo(counts.datagrams());
      // The first and the last may be missing without a gap.
      assertThat(counts.flowSamples() + counts.lostDatagrams())
          .isBetween(sent / 2L - counts.kernelDropped().orElse(0), sent / 2L);
    }
  }

  @Test
  void largestDatagramIsReceivedWhole() throws Exception {
    byte[][] samples = new byte[540][];
    for (int i = 0; i < samples.length; i++) {
      samples[i] = flowSample(i, 3, 10, 0, 3, 4, tcp(7, 1000, 0));
    }
    byte[] large = datagram(AGENT, 0, 1, 1, samples);
    assertThat(large.length).isBetween(60_000, 65_507);
    try (SflowCollector collector = start(SflowConfig.builder());
        DatagramChannel listed = sender(LISTED, collector)) {
      listed.write(ByteBuffer.wrap(large));
      await(() -> collector.counts().flowSamples() == samples.length);
    }
  }

  @Test
  void idleFlowsEndWithoutFurtherDatagrams() throws Exception {
    try (SflowCollector collector = start(SflowConfig.builder().idleMillis(1000));
        DatagramChannel listed = sender(LISTED, collector)) {
      listed.write(valid(1));
      listed.write(valid(2));
      await(
          () -> listener.flows.stream().anyMatch(each -> each.state() == FlowEstimate.State.IDLE));
      assertThat(collector.counts().flows()).isZero();
    }
  }

  @Test
  void closeReleasesThePortAndEndsTheThread() throws Exception {
    SflowCollector collector = start(SflowConfig.builder());
    int port = collector.port();
    assertThat(collector.isListening()).isTrue();
    collector.close();
    assertThat(collector.isListening()).isFalse();
    collector.close();
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(each -> each.getName().equals("sluice-sflow"));
    try (DatagramChannel again = DatagramChannel.open()) {
      again.bind(new InetSocketAddress("127.0.0.1", port));
    }
  }

  @Test
  void occupiedUdpPortIsRejected() throws Exception {
    try (SflowCollector first = start(SflowConfig.builder())) {
      SflowConfig same = SflowConfig.builder().address("127.0.0.1").port(first.port()).build();
      assertThatThrownBy(() -> SflowCollector.start(same, listener))
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining("cannot listen on 127.0.0.1");
      SflowConfig nowhere = SflowConfig.builder().address("192.0.2.1").build();
      assertThatThrownBy(() -> SflowCollector.start(nowhere, listener))
          .isInstanceOf(SluiceException.class);
      SflowConfig noAddress = SflowConfig.builder().address("no address").build();
      assertThatThrownBy(() -> SflowCollector.start(noAddress, listener))
          .isInstanceOf(SluiceException.class);
    }
  }

  @Test
  void kernelDropsAreRead(@TempDir Path directory) throws IOException {
    Path udp = directory.resolve("udp");
    String head = "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt";
    Files.write(
        udp,
        List.of(
            head + "   uid  timeout inode ref pointer drops",
            " 12: 0100007F:18C7 00000000:0000 07 00000000:00000000 00:00000000 00000000"
                + "     0        0 26341 2 0000000000000000 17",
            " 13: 0100007F:18C8 00000000:0000 07 00000000:00000000 00:00000000 00000000"
                + "     0        0 26342 2 0000000000000000 4"));
    SocketDrops drops = new SocketDrops(List.of(udp, directory.resolve("none")));
    assertThat(drops.read(6343)).hasValue(17);
    assertThat(drops.read(6345)).isEmpty();
  }
}

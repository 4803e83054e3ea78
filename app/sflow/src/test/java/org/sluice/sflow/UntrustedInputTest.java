// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import org.sluice.api.IpAddress;

/** Whatever comes by the network is decoded or dropped with a reason; nothing else happens. */
class UntrustedInputTest {
  private static final IpAddress AGENT = IpAddress.parse("127.0.0.1");

  /** A sample, and what is to be read of it. */
  private static final class Sample {
    final byte[] bytes;
    final String expected;

    Sample(byte[] bytes, String expected) {
      this.bytes = bytes;
      this.expected = expected;
    }
  }

  @Provide
  Arbitrary<Sample> flowSamples() {
    Arbitrary<Integer> interfaces = Arbitraries.integers().between(0, (1 << 24) - 1);
    Arbitrary<Integer> rates =
        Arbitraries.integers().between(1, (int) FlowSampleDecoder.MAX_SAMPLING_RATE);
    Arbitrary<Integer> ports = Arbitraries.integers().between(1, 65_535);
    Arbitrary<Integer> sizes = Arbitraries.integers().between(40, 9000);
    Arbitrary<Boolean> expanded = Arbitraries.of(true, false);
    return Combinators.combine(interfaces, interfaces, rates, ports, sizes, expanded)
        .as(UntrustedInputTest::sample);
  }

  private static Sample sample(
      int input, int output, int rate, int port, int bytes, boolean expanded) {
    byte[] record = TestDatagram.tcp(port, bytes, 0);
    return new Sample(
        expanded
            ? TestDatagram.expandedFlowSample(1, 0, input, rate, input, output, record)
            : TestDatagram.flowSample(1, input, rate, 0, input, output, record),
        String.format(
            "0/%d rate %d %d>%d: 6 10.0.0.1:%d 10.0.0.2:80 %d bytes",
            input, rate, input, output, port, bytes));
  }

  private static byte[] datagram(List<Sample> samples) {
    byte[][] bodies = samples.stream().map(each -> each.bytes).toArray(byte[][]::new);
    return TestDatagram.datagram(TestDatagram.AGENT, 0, 1, 1, bodies);
  }

  @Provide
  Arbitrary<List<Sample>> datagrams() {
    return flowSamples().list().ofMaxSize(12);
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void validDatagramIsRead(@ForAll("datagrams") List<Sample> samples) {
    DatagramDecoder decoder = new DatagramDecoder();
    RecordingSink sink = new RecordingSink();
    assertThat(decoder.check(ByteBuffer.wrap(datagram(samples)))).isTrue();
    decoder.deliver(sink);
    assertThat(sink.flows)
        .isEqualTo(samples.stream().map(each -> each.expected).collect(Collectors.toList()));
  }

  @Provide
  Arbitrary<byte[]> malformedSamples() {
    Arbitrary<Integer> any = Arbitraries.integers();
    Arbitrary<Integer> frames = Arbitraries.of(0, -1, (int) FlowSampleDecoder.MAX_FRAME_BYTES + 1);
    Arbitrary<Integer> stripped = Arbitraries.integers().between(65, Integer.MAX_VALUE);
    return Arbitraries.oneOf(
        any.map(index -> TestDatagram.flowSample(1, index, 0, 0, 1, 2)),
        any.map(index -> TestDatagram.expandedFlowSample(1, 0, index, -1, 1, 2)),
        frames.map(bytes -> sampledHeader(bytes, 0)),
        stripped.map(bytes -> sampledHeader(64, bytes)),
        Arbitraries.integers()
            .between(1, 11)
            .map(length -> TestDatagram.structure(length % 4 + 1, new byte[length])));
  }

  private static byte[] sampledHeader(int frameBytes, int strippedBytes) {
    byte[] record = TestDatagram.structure(1, TestDatagram.xdr(1, frameBytes, strippedBytes, 0));
    return TestDatagram.flowSample(1, 1, 1, 0, 1, 2, record);
  }

  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void malformedSamplesAreSkippedAlone(
      @ForAll("datagrams") List<Sample> good,
      @ForAll @Size(max = 5) List<@From("malformedSamples") byte[]> malformed,
      @ForAll @Size(max = 9) byte[] behind,
      @ForAll Random random) {
    List<byte[]> all = good.stream().map(each -> each.bytes).collect(Collectors.toList());
    for (byte[] each : malformed) {
      all.add(random.nextInt(all.size() + 1), each);
    }
    byte[] datagram =
        TestDatagram.datagram(TestDatagram.AGENT, 0, 1, 1, all.toArray(new byte[0][]));
    DatagramDecoder decoder = new DatagramDecoder();
    RecordingSink sink = new RecordingSink();
    assertThat(decoder.check(ByteBuffer.wrap(TestDatagram.joined(datagram, behind)))).isTrue();
    decoder.deliver(sink);
    assertThat(sink.flows)
        .isEqualTo(good.stream().map(each -> each.expected).collect(Collectors.toList()));
    assertThat(sink.malformed).hasSize(malformed.size() + (behind.length > 0 ? 1 : 0));
  }

  @Property(tries = 2000)
  void randomBytesAreDroppedAndCounted(@ForAll @Size(max = 300) byte[] bytes) {
    assertThat(taken(bytes)).isZero();
  }

  /** Random bytes hardly ever get beyond the version: these begin as a datagram does. */
  @Property(tries = 2000)
  void randomSamplesAreAcceptedOrDroppedAndCounted(@ForAll @Size(max = 300) byte[] bytes) {
    taken(TestDatagram.xdr(5, 1, TestDatagram.AGENT, 0, 1, 1, 1, 1, bytes.length, bytes));
  }

  @Property(tries = 2000, edgeCases = EdgeCasesMode.NONE)
  void mutatedDatagramsAreAcceptedOrDroppedAndCounted(
      @ForAll("datagrams") List<Sample> samples, @ForAll long seed) {
    byte[] bytes = datagram(samples);
    Random random = new Random(seed);
    for (int changes = random.nextInt(4); changes >= 0; changes--) {
      bytes[random.nextInt(bytes.length)] = (byte) (random.nextInt(4) - 1);
    }
    taken(Arrays.copyOf(bytes, random.nextInt(5) == 0 ? random.nextInt(400) : bytes.length));
  }

  /** Gives it to a collector that has nothing else; how many datagrams that took. */
  private static long taken(byte[] bytes) {
    Counters counters = new Counters();
    SflowConfig config = SflowConfig.builder().agents(Set.of(AGENT)).maxFlows(4).build();
    RecordingListener listener = new RecordingListener();
    DatagramIntake intake = new DatagramIntake(config, listener, counters, 0);
    DatagramIntake.Outcome outcome = intake.take(Addresses.inet(AGENT), ByteBuffer.wrap(bytes), 1);
    intake.turn(1_000_000_000L);
    boolean isTaken = outcome != DatagramIntake.Outcome.MALFORMED;
    SflowCounts counts =
        counters.read().kernelDropped(OptionalLong.empty()).receiveBufferBytes(0).build();
    assertThat(counts.allMalformed()).isEqualTo(isTaken ? 0 : 1);
    assertThat(counts.allMalformedSamples() > 0)
        .isEqualTo(outcome == DatagramIntake.Outcome.TAKEN_IN_PART);
    assertThat(counters.listenerFailures.sum()).isZero();
    assertThat(listener.flows)
        .allMatch(each -> each.sentBytes() > 0 && Double.isFinite(each.standardErrorBytes()));
    return isTaken ? 1 : 0;
  }
}

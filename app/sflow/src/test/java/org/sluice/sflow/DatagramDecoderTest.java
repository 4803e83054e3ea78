// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.sluice.sflow.TestDatagram.AGENT;
import static org.sluice.sflow.TestDatagram.datagram;
import static org.sluice.sflow.TestDatagram.expandedFlowSample;
import static org.sluice.sflow.TestDatagram.flowSample;
import static org.sluice.sflow.TestDatagram.generic;
import static org.sluice.sflow.TestDatagram.header;
import static org.sluice.sflow.TestDatagram.structure;
import static org.sluice.sflow.TestDatagram.tcp;
import static org.sluice.sflow.TestDatagram.xdr;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.sluice.api.IpAddress;

/** Datagrams made by hand from the specification. */
class DatagramDecoderTest {
  private static final String ETHERNET = "020000000002 020000000001";
  private static final String IPV4_TCP =
      "45 00 05dc 0001 4000 40 06 0000 0a000001 0a000002"
          + " 3039 0050 00000001 00000001 50 10 ffff 0000 0000";
  private static final String PORTS = "3039 0050 0010 0000";
  private static final String FD1 = "fd000000000000000000000000000001";
  private static final String FD2 = "fd000000000000000000000000000002";

  private final DatagramDecoder decoder = new DatagramDecoder();
  private final RecordingSink sink = new RecordingSink();

  private boolean decode(byte[] datagram) {
    boolean isWhole = decoder.check(ByteBuffer.wrap(datagram));
    if (isWhole) {
      decoder.deliver(sink);
    }
    return isWhole;
  }

  private static byte[] hex(String text) {
    String digits = text.replace(" ", "");
    byte[] bytes = new byte[digits.length() / 2];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
    }
    return bytes;
  }

  @Test
  void aFlowSampleIsReadByteByByte() {
    byte[] datagram =
        hex(
            "00000005" // version
                + "00000001 0a090001" // agent address: IPv4
                + "00000007" // sub-agent
                + "00000064" // sequence
                + "0001e240" // uptime
                + "00000001" // samples
                + "00000001 00000080" // flow_sample, length
                + "00000005" // sequence
                + "00000003" // source: class 0, ifIndex 3
                + "00000190" // sampling rate: 400
                + "000007d0" // sample pool
                + "00000002" // drops
                + "00000003" // input
                + "00000004" // output
                + "00000001" // records
                + "00000001 00000058" // sampled header, length
                + "00000001" // Ethernet
                + "000005ee" // frame length: 1518
                + "00000004" // stripped: the checksum
                + "00000036" // bytes of header: 54
                + ETHERNET
                + "0800"
                + IPV4_TCP
                + "0000" // padding to four bytes
                + "0000000000000000 0000000000000000"); // what the record has beyond

    assertThat(decode(datagram)).as("fault %s", decoder.fault()).isTrue();
    assertThat(sink.flows)
        .containsExactly("0/3 rate 400 3>4: 6 10.0.0.1:12345 10.0.0.2:80 1500 bytes");
    assertThat(decoder.agentLow()).isEqualTo(0x0a090001L);
    assertThat(decoder.subAgent()).isEqualTo(7);
    assertThat(decoder.sequence()).isEqualTo(100);
    assertThat(decoder.uptimeMillis()).isEqualTo(123_456);
  }

  @Test
  void agentAddressMayBeIpv6() {
    assertThat(decode(datagram(hex(FD1), 0, 1, 1, flowSample(1, 1, 1, 0, 1, 2)))).isTrue();
    assertThat(decoder.agentHigh()).isEqualTo(0xfd00000000000000L);
    assertThat(decoder.agentLow()).isEqualTo(1);
    assertThat(sink.flows).containsExactly("0/1 rate 1 1>2: NO_PACKET");
  }

  @Test
  void anExpandedFlowSampleIsRead() {
    byte[] sample =
        expandedFlowSample(1, 2, 70_000_000, 1000, 80_000_000, 90_000_000, tcp(9, 60, 1));
    assertThat(decode(datagram(AGENT, 0, 1, 1, sample))).isTrue();
    assertThat(sink.flows)
        .containsExactly(
            "2/70000000 rate 1000 80000000>90000000:"
                + " 6 10.0.0.1:9 10.0.0.2:80 60 bytes, the last");
  }

  @Test
  void interfaceCountersAreRead() {
    byte[] record = generic(3, 10_000_000_000L, 1L << 40, 1L << 41, 77);
    byte[] compact = structure(2, xdr(1, 3, 1, record));
    byte[] expanded = structure(4, xdr(1, 0, 3, 2, structure(2, new byte[52]), record));
    assertThat(decode(datagram(AGENT, 7, 1, 1, compact, expanded))).isTrue();
    InterfaceCounters expected =
        InterfaceCounters.builder()
            .agent(IpAddress.parse("10.9.0.1"))
            .subAgent(7)
            .ifIndex(3)
            .speedBitsPerSecond(10_000_000_000L)
            .inOctets(1L << 40)
            .outOctets(1L << 41)
            .inDiscards(77)
            .outDiscards(78)
            .build();
    assertThat(sink.counters).containsExactly(expected, expected);
  }

  /** With records that are not the standard's first ones: OpenFlow ports, names, transceivers. */
  @Test
  void datagramOfOpenVswitchIsRead() throws IOException {
    try (InputStream recorded = getClass().getResourceAsStream("open-vswitch-3.1.datagram")) {
      assertThat(decode(recorded.readAllBytes())).as("fault %s", decoder.fault()).isTrue();
    }
    assertThat(sink.flows)
        .containsExactly("2/1000 rate 1 5>4: 17 10.0.0.1:7001 10.0.0.2:7002 128 bytes");
    assertThat(sink.counters)
        .extracting(InterfaceCounters::ifIndex, InterfaceCounters::inOctets)
        .containsExactly(tuple(8L, 0L), tuple(5L, 408L), tuple(4L, 516L));
    assertThat(sink.counters)
        .extracting(InterfaceCounters::speedBitsPerSecond)
        .containsOnly(10_000_000_000L);
  }

  @Test
  void unknownRecordsAreSkippedByLength() {
    byte[] enterprise = structure(4413 << 12 | 1, new byte[13]);
    byte[] extended = structure(1001, new byte[16]);
    byte[] sample = flowSample(1, 1, 10, 0, 1, 2, extended, enterprise, tcp(9, 60, 0));
    assertThat(decode(datagram(AGENT, 0, 1, 1, enterprise, sample, structure(5, new byte[0]))))
        .isTrue();
    assertThat(sink.flows).containsExactly("0/1 rate 10 1>2: 6 10.0.0.1:9 10.0.0.2:80 60 bytes");
    assertThat(decoder.skippedSamples()).isEqualTo(2);
  }

  static Stream<Arguments> frames() {
    String udp6 = "60000000 0010 11 40" + FD1 + FD2 + PORTS;
    String hop = "60000000 0020 00 40" + FD1 + FD2;
    return Stream.of(
        frame("8100 0064 0800" + IPV4_TCP, 1500, "6 10.0.0.1:12345 10.0.0.2:80 1500 bytes"),
        frame(
            "88a8 0001 8100 0064 0800" + IPV4_TCP, 1500, "6 10.0.0.1:12345 10.0.0.2:80 1500 bytes"),
        frame("8100 0001 8100 0002 8100 0003 0800" + IPV4_TCP, 1500, "NOT_IP"),
        frame("86dd" + udp6, 56, "17 fd00::1:12345 fd00::2:80 56 bytes"),
        frame(
            "86dd" + hop + "2b 00 000000000000" + "11 00 000000000000" + PORTS,
            72,
            "17 fd00::1:12345 fd00::2:80 72 bytes"),
        frame("86dd" + hop + "00 00 000000000000".repeat(9) + PORTS, 72, "NOT_TCP_OR_UDP"),
        frame("86dd" + hop + "11 ff 000000000000", 72, "CUT"),
        frame(
            "86dd 60000000 0020 2c 40" + FD1 + FD2 + "11 00 0009 00000001" + PORTS, 72, "FRAGMENT"),
        frame(
            "86dd 60000000 0020 2c 40" + FD1 + FD2 + "11 00 0001 00000001" + PORTS,
            72,
            "17 fd00::1:12345 fd00::2:80 72 bytes"),
        frame(
            "0800 46 00 0030 0001 0000 40 11 0000 0a000001 0a000002 01010101" + PORTS,
            48,
            "17 10.0.0.1:12345 10.0.0.2:80 48 bytes"),
        frame("0800 45 00 0030 0001 0001 40 11 0000 0a000001 0a000002" + PORTS, 48, "FRAGMENT"),
        frame(
            "0800 45 00 0030 0001 0000 40 01 0000 0a000001 0a000002" + PORTS, 48, "NOT_TCP_OR_UDP"),
        frame("0800 45 00 0030 0001 0000 40 11 0000 0a000001 0a000002 3039", 48, "CUT"),
        frame("0800 45 00 0030", 48, "CUT"),
        frame("8100 0064", 48, "CUT"),
        frame("0800 45 00 0008 0001 0000 40 11 0000 0a000001 0a000002" + PORTS, 48, "MALFORMED"),
        frame("0800 44 00 0030 0001 0000 40 11 0000 0a000001 0a000002" + PORTS, 48, "MALFORMED"),
        frame("0800 65 00 0030 0001 0000 40 11 0000 0a000001 0a000002" + PORTS, 48, "MALFORMED"),
        frame("0800 45 00 0030 0001 0000 40 11 0000 0a000001 0a000001" + PORTS, 48, "MALFORMED"),
        frame("0800 45 00 0030 0001 0000 40 11 0000 0a000001 0a000002 0000 0050", 48, "MALFORMED"),
        frame(
            "86dd 60000000 0010 11 40 00000000000000000000ffff0a000001" + FD2 + PORTS,
            56,
            "MALFORMED"),
        frame("0806 0001080006040001", 46, "NOT_IP"),
        // A short packet's frame is padded; joined packets may have no length; a lie is cut.
        frame(
            "0800 45 00 001d 0001 0000 40 11 0000 0a000001 0a000002" + PORTS,
            46,
            "17 10.0.0.1:12345 10.0.0.2:80 29 bytes"),
        frame(
            "0800 45 00 0000 0001 0000 40 11 0000 0a000001 0a000002" + PORTS,
            90_000,
            "17 10.0.0.1:12345 10.0.0.2:80 90000 bytes"),
        frame(
            "0800 45 00 ffff 0001 0000 40 11 0000 0a000001 0a000002" + PORTS,
            46,
            "17 10.0.0.1:12345 10.0.0.2:80 46 bytes"));
  }

  /**
   * What follows the MAC addresses, the bytes of all that follows Ethernet's and VLANs' headers.
   */
  private static Arguments frame(String rest, int ipBytes, String expected) {
    String digits = rest.replace(" ", "");
    int tags = 0;
    while (tags < 2 && digits.substring(8 * tags).matches("(8100|88a8).*")) {
      tags++;
    }
    return Arguments.of(hex(ETHERNET + rest), 14 + 4 * tags + ipBytes, expected);
  }

  @ParameterizedTest
  @MethodSource("frames")
  void sampledFrameGivesItsFlowOrAReason(byte[] frame, int frameBytes, String expected) {
    byte[] sample = flowSample(1, 1, 10, 0, 1, 2, header(frame, frameBytes));
    assertThat(decode(datagram(AGENT, 0, 1, 1, sample))).isTrue();
    assertThat(sink.flows).containsExactly("0/1 rate 10 1>2: " + expected);
  }

  @Test
  void packetsWithoutFramesAreRead() {
    byte[] ipv4 = hex("45 00 0030 0001 0000 40 11 0000 0a000001 0a000002" + PORTS);
    byte[] ipv6 = hex("60000000 0010 11 40" + FD1 + FD2 + PORTS);
    byte[] sampled4 = structure(1, xdr(11, 48, 0, ipv4.length, ipv4));
    byte[] sampled6 = structure(1, xdr(12, 56, 0, ipv6.length, ipv6));
    byte[] ppp = structure(1, xdr(7, 56, 0, ipv6.length, ipv6));
    byte[] record4 = structure(3, xdr(1500, 6, hex("0a000001 0a000002"), 12345, 80, 0x11, 0));
    byte[] record6 = structure(4, xdr(1400, 17, hex(FD1 + FD2), 12345, 80, 0, 0));
    byte[] port = structure(3, xdr(1500, 6, hex("0a000001 0a000002"), 65536, 80, 0x11, 0));
    byte[] icmp = structure(3, xdr(1500, 1, hex("0a000001 0a000002"), 8, 0, 0, 0));
    for (byte[] record : new byte[][] {sampled4, sampled6, ppp, record4, record6, port, icmp}) {
      assertThat(decode(datagram(AGENT, 0, 1, 1, flowSample(1, 1, 10, 0, 1, 2, record)))).isTrue();
    }
    assertThat(sink.flows)
        .map(text -> text.substring("0/1 rate 10 1>2: ".length()))
        .containsExactly(
            "17 10.0.0.1:12345 10.0.0.2:80 48 bytes",
            "17 fd00::1:12345 fd00::2:80 56 bytes",
            "NOT_IP",
            "6 10.0.0.1:12345 10.0.0.2:80 1500 bytes, the last",
            "17 fd00::1:12345 fd00::2:80 1400 bytes",
            "MALFORMED",
            "NOT_TCP_OR_UDP");
  }

  @Test
  void firstRecordWithAFlowIsUsed() {
    byte[] arp = header(hex(ETHERNET + "0806 0001080006040001"), 60);
    byte[] sample = flowSample(1, 1, 10, 0, 1, 2, arp, tcp(9, 60, 0), tcp(10, 70, 0));
    assertThat(decode(datagram(AGENT, 0, 1, 1, sample))).isTrue();
    assertThat(sink.flows).containsExactly("0/1 rate 10 1>2: 6 10.0.0.1:9 10.0.0.2:80 60 bytes");
  }

  private static final byte[] GOOD =
      datagram(AGENT, 0, 1, 1, flowSample(1, 1, 10, 0, 1, 2, tcp(9, 60, 0)));

  static Stream<Arguments> malformed() {
    return Stream.of(
        Arguments.of(new byte[0], DatagramFault.TRUNCATED),
        Arguments.of(xdr(5), DatagramFault.TRUNCATED),
        Arguments.of(Arrays.copyOf(GOOD, 27), DatagramFault.TRUNCATED),
        Arguments.of(changed(GOOD, 0, 4), DatagramFault.VERSION),
        Arguments.of(changed(GOOD, 4, 0), DatagramFault.ADDRESS_TYPE),
        Arguments.of(changed(GOOD, 4, 3), DatagramFault.ADDRESS_TYPE),
        Arguments.of(changed(GOOD, 24, -1), DatagramFault.COUNT));
  }

  static Stream<Arguments> malformedSamples() {
    byte[] good = GOOD;
    byte[] counters = datagram(AGENT, 0, 1, 1, structure(2, xdr(1, 3, 1, generic(3, 1, 1, 1, 1))));
    return Stream.of(
        Arguments.of(changed(good, 32, -1), DatagramFault.TRUNCATED),
        Arguments.of(changed(good, 32, 28), DatagramFault.LENGTH),
        Arguments.of(changed(good, 44, 0), DatagramFault.VALUE),
        Arguments.of(changed(good, 44, -1), DatagramFault.VALUE),
        Arguments.of(changed(good, 64, -1), DatagramFault.COUNT),
        Arguments.of(changed(good, 64, 2), DatagramFault.LENGTH),
        Arguments.of(changed(good, 72, -1), DatagramFault.LENGTH),
        Arguments.of(changed(good, 72, 12), DatagramFault.LENGTH),
        Arguments.of(changed(good, 80, 0), DatagramFault.VALUE),
        Arguments.of(changed(good, 80, 2_000_000), DatagramFault.VALUE),
        Arguments.of(changed(good, 84, 100_000), DatagramFault.VALUE),
        Arguments.of(changed(good, 88, -1), DatagramFault.LENGTH),
        Arguments.of(changed(good, 88, 1000), DatagramFault.LENGTH),
        Arguments.of(changed(good, 24, 0), DatagramFault.TRAILING),
        Arguments.of(Arrays.copyOf(good, good.length - 1), DatagramFault.TRUNCATED),
        Arguments.of(changed(counters, 32, 8), DatagramFault.LENGTH),
        Arguments.of(changed(counters, 44, 1000), DatagramFault.COUNT),
        Arguments.of(changed(counters, 52, 84), DatagramFault.LENGTH),
        Arguments.of(
            datagram(AGENT, 0, 1, 1, flowSample(1, 1, 1, 0, 1, 2, structure(3, new byte[28]))),
            DatagramFault.LENGTH),
        Arguments.of(
            datagram(AGENT, 0, 1, 1, flowSample(1, 1, 1, 0, 1, 2, structure(4, new byte[52]))),
            DatagramFault.LENGTH),
        Arguments.of(
            datagram(AGENT, 0, 1, 1, expandedFlowSample(1, 1, 1, 0, 1, 2)), DatagramFault.VALUE));
  }

  private static byte[] changed(byte[] datagram, int at, int word) {
    byte[] copy = datagram.clone();
    ByteBuffer.wrap(copy).putInt(at, word);
    return copy;
  }

  @ParameterizedTest
  @MethodSource("malformed")
  void malformedDatagramIsDroppedAndCountedByReason(byte[] datagram, DatagramFault expected) {
    assertThat(decode(datagram)).isFalse();
    assertThat(decoder.fault()).isEqualTo(expected);
  }

  @ParameterizedTest
  @MethodSource("malformedSamples")
  void malformedSampleIsSkippedAndCountedByReason(byte[] datagram, DatagramFault expected) {
    assertThat(decode(datagram)).isTrue();
    assertThat(sink.malformed).startsWith(expected);
    assertThat(sink.flows).isEmpty();
    assertThat(sink.counters).isEmpty();
  }

  @Test
  void whatIsBesideMalformedSamplesIsRead() {
    byte[] flow = flowSample(1, 1, 10, 0, 1, 2, tcp(9, 60, 0));
    byte[] noRate = flowSample(1, 1, 0, 0, 1, 2, tcp(9, 60, 0));
    byte[] tooShort = structure(2, xdr(1));
    byte[] read = structure(2, xdr(1, 3, 1, generic(3, 1, 1, 1, 1)));
    byte[] datagram = datagram(AGENT, 0, 1, 1, flow, noRate, tooShort, read, flow);

    assertThat(decode(Arrays.copyOf(datagram, datagram.length + 1))).isTrue();
    assertThat(sink.flows).hasSize(2);
    assertThat(sink.counters).hasSize(1);
    assertThat(sink.malformed)
        .containsExactly(DatagramFault.VALUE, DatagramFault.LENGTH, DatagramFault.TRAILING);
  }

  @Test
  void ofATruncatedDatagramWholeSamplesAreRead() {
    byte[] flow = flowSample(1, 1, 10, 0, 1, 2, tcp(9, 60, 0));
    byte[] good = datagram(AGENT, 0, 1, 1, flow, flow);
    for (int length = 0; length < good.length; length++) {
      RecordingSink part = new RecordingSink();
      if (decoder.check(ByteBuffer.wrap(Arrays.copyOf(good, length)))) {
        decoder.deliver(part);
        assertThat(part.malformed).as("%d bytes", length).containsExactly(DatagramFault.TRUNCATED);
      }
      assertThat(part.flows).as("%d bytes", length).hasSize(length < 28 + flow.length ? 0 : 1);
    }
  }
}

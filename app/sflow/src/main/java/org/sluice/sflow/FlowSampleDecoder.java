// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

/** Flow samples, compact and expanded: a check of all of one first, then what is in it. */
final class FlowSampleDecoder {
  /** Format of {@code flow_sample}. */
  static final int COMPACT = 1;

  /** Format of {@code flow_sample_expanded}. */
  static final int EXPANDED = 3;

  /** No switch samples one of more packets than this. */
  static final long MAX_SAMPLING_RATE = 1 << 24;

  /** No frame has more bytes than this, nor has what a software switch joins to one. */
  static final long MAX_FRAME_BYTES = 1 << 20;

  private static final int COMPACT_BYTES = 32;
  private static final int EXPANDED_BYTES = 44;
  private static final int SOURCE_INDEX_BITS = 24;
  private static final int INTERFACE_BITS = 30;

  private static final int RECORD_HEADER = 1;
  private static final int RECORD_IPV4 = 3;
  private static final int RECORD_IPV6 = 4;
  private static final int HEADER_FIELDS_BYTES = 16;
  private static final int IPV4_BYTES = 32;
  private static final int IPV6_BYTES = 56;

  private static final int PROTOCOL_ETHERNET = 1;
  private static final int PROTOCOL_IPV4 = 11;
  private static final int PROTOCOL_IPV6 = 12;

  private static final int MAX_PORT = 65535;

  private final XdrReader reader;
  private final StructureList records;
  private final PacketParser packets;

  FlowSampleDecoder(XdrReader reader) {
    this.reader = reader;
    records = new StructureList(reader, DatagramFault.LENGTH);
    packets = new PacketParser(reader);
  }

  /** Whether the sample is well-formed, with all its records. */
  boolean check(int start, int length, boolean expanded) {
    int fixedBytes = fixedBytes(expanded);
    if (length < fixedBytes) {
      return reader.fail(DatagramFault.LENGTH);
    }
    long rate = reader.unsigned(start + (expanded ? 12 : 8));
    if (rate == 0 || rate > MAX_SAMPLING_RATE) {
      return reader.fail(DatagramFault.VALUE);
    }
    if (!records.open(start + fixedBytes - Integer.BYTES, start + length)) {
      return false;
    }
    for (int i = 0; i < records.count(); i++) {
      if (!records.next() || !checkRecord(records.start(), records.length())) {
        return false;
      }
    }
    return true;
  }

  private static int fixedBytes(boolean expanded) {
    return expanded ? EXPANDED_BYTES : COMPACT_BYTES;
  }

  private boolean checkRecord(int start, int length) {
    switch (records.format()) {
      case RECORD_HEADER:
        return checkHeader(start, length);
      case RECORD_IPV4:
        return checkPacket(start, length, IPV4_BYTES);
      case RECORD_IPV6:
        return checkPacket(start, length, IPV6_BYTES);
      default:
        return true;
    }
  }

  private boolean checkHeader(int start, int length) {
    if (length < HEADER_FIELDS_BYTES
        || reader.unsigned(start + 12) > length - HEADER_FIELDS_BYTES) {
      return reader.fail(DatagramFault.LENGTH);
    }
    long frameBytes = reader.unsigned(start + 4);
    boolean absurd =
        frameBytes == 0 || frameBytes > MAX_FRAME_BYTES || reader.unsigned(start + 8) > frameBytes;
    return !absurd || reader.fail(DatagramFault.VALUE);
  }

  private boolean checkPacket(int start, int length, int fixedBytes) {
    if (length < fixedBytes) {
      return reader.fail(DatagramFault.LENGTH);
    }
    return reader.unsigned(start) <= MAX_FRAME_BYTES || reader.fail(DatagramFault.VALUE);
  }

  /** Reads a sample that was checked. */
  void read(int start, int length, boolean expanded, FlowSample into) {
    into.sequence = reader.word(start);
    if (expanded) {
      into.sourceClass = reader.word(start + 4);
      into.sourceIndex = reader.unsigned(start + 8);
      into.samplingRate = reader.unsigned(start + 12);
      into.drops = reader.word(start + 20);
      into.inputFormat = reader.word(start + 24);
      into.input = reader.unsigned(start + 28);
      into.outputFormat = reader.word(start + 32);
      into.output = reader.unsigned(start + 36);
    } else {
      int source = reader.word(start + 4);
      into.sourceClass = source >>> SOURCE_INDEX_BITS;
      into.sourceIndex = source & (1 << SOURCE_INDEX_BITS) - 1;
      into.samplingRate = reader.unsigned(start + 8);
      into.drops = reader.word(start + 16);
      int input = reader.word(start + 20);
      into.inputFormat = input >>> INTERFACE_BITS;
      into.input = input & (1 << INTERFACE_BITS) - 1;
      int output = reader.word(start + 24);
      into.outputFormat = output >>> INTERFACE_BITS;
      into.output = output & (1 << INTERFACE_BITS) - 1;
    }
    readPacket(start, length, expanded, into.packet);
  }

  /** The first record that names a flow counts; without one, why the last one does not. */
  private void readPacket(int start, int length, boolean expanded, SampledPacket into) {
    into.clear();
    records.open(start + fixedBytes(expanded) - Integer.BYTES, start + length);
    for (int i = 0; i < records.count() && !into.isUsable(); i++) {
      records.next();
      readRecord(records.start(), into);
    }
  }

  private void readRecord(int start, SampledPacket into) {
    switch (records.format()) {
      case RECORD_HEADER:
        readHeader(start, into);
        break;
      case RECORD_IPV4:
        into.isIpv4 = true;
        into.sourceHigh = 0;
        into.sourceLow = reader.unsigned(start + 8);
        into.destinationHigh = 0;
        into.destinationLow = reader.unsigned(start + 12);
        readTransport(start, start + 16, into);
        break;
      case RECORD_IPV6:
        into.isIpv4 = false;
        into.sourceHigh = reader.hyper(start + 8);
        into.sourceLow = reader.hyper(start + 16);
        into.destinationHigh = reader.hyper(start + 24);
        into.destinationLow = reader.hyper(start + 32);
        readTransport(start, start + 40, into);
        break;
      default:
        break;
    }
  }

  private void readHeader(int start, SampledPacket into) {
    int header = start + HEADER_FIELDS_BYTES;
    int sampled = reader.word(start + 12);
    // What was removed before the sampling, the frame's checksum among it, is counted by switches.
    long carried = reader.unsigned(start + 4) - reader.unsigned(start + 8);
    switch (reader.word(start)) {
      case PROTOCOL_ETHERNET:
        packets.ethernet(header, sampled, carried, into);
        break;
      case PROTOCOL_IPV4:
        packets.ip(header, sampled, true, carried, into);
        break;
      case PROTOCOL_IPV6:
        packets.ip(header, sampled, false, carried, into);
        break;
      default:
        into.fail(UnusableSample.NOT_IP);
    }
  }

  private void readTransport(int start, int portsAt, SampledPacket into) {
    long protocol = reader.unsigned(start + 4);
    long sourcePort = reader.unsigned(portsAt);
    long destinationPort = reader.unsigned(portsAt + 4);
    if (protocol != SampledPacket.TCP && protocol != SampledPacket.UDP) {
      into.fail(UnusableSample.NOT_TCP_OR_UDP);
    } else if (sourcePort > MAX_PORT || destinationPort > MAX_PORT || reader.word(start) == 0) {
      into.fail(UnusableSample.MALFORMED);
    } else {
      into.protocol = (int) protocol;
      into.ipBytes = reader.unsigned(start);
      into.sourcePort = (int) sourcePort;
      into.destinationPort = (int) destinationPort;
      into.tcpFlags = protocol == SampledPacket.TCP ? reader.word(portsAt + 8) : 0;
      into.complete();
    }
  }
}

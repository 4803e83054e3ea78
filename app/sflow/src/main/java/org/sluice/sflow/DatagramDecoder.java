// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import java.nio.ByteBuffer;
import org.sluice.api.IpAddress;

/**
 * Datagrams of sFlow version 5. Every length is checked before anything of a datagram is accepted:
 * it is well-formed as a whole, or nothing of it is delivered. Samples and records of unknown
 * formats are skipped. Nothing is allocated for flow samples.
 */
final class DatagramDecoder {
  private static final int VERSION = 5;
  private static final int IPV4 = 1;
  private static final int IPV6 = 2;
  private static final int ADDRESS_AT = 8;

  /** Sub-agent, sequence, uptime, number of samples. */
  private static final int FIELDS_BYTES = 16;

  private final XdrReader reader = new XdrReader();
  private final StructureList samples = new StructureList(reader, DatagramFault.TRUNCATED);
  private final FlowSampleDecoder flows = new FlowSampleDecoder(reader);
  private final CounterSampleDecoder counters = new CounterSampleDecoder(reader);
  private final FlowSample sample = new FlowSample();
  private int fieldsAt;
  private long skipped;

  /**
   * Whether a datagram is well-formed; then {@link #deliver} may follow.
   *
   * @param datagram from 0 to its limit; not changed meanwhile
   */
  boolean check(ByteBuffer datagram) {
    reader.open(datagram);
    return checkHeader() && checkSamples();
  }

  /** Why the last one is malformed. */
  DatagramFault fault() {
    return reader.fault();
  }

  private boolean checkHeader() {
    if (reader.end() < ADDRESS_AT) {
      return reader.fail(DatagramFault.TRUNCATED);
    }
    if (reader.word(0) != VERSION) {
      return reader.fail(DatagramFault.VERSION);
    }
    int type = reader.word(4);
    if (type != IPV4 && type != IPV6) {
      return reader.fail(DatagramFault.ADDRESS_TYPE);
    }
    fieldsAt = ADDRESS_AT + (type == IPV4 ? 4 : 16);
    return reader.end() >= fieldsAt + FIELDS_BYTES || reader.fail(DatagramFault.TRUNCATED);
  }

  private boolean checkSamples() {
    skipped = 0;
    if (!samples.open(fieldsAt + FIELDS_BYTES - Integer.BYTES, reader.end())) {
      return false;
    }
    for (int i = 0; i < samples.count(); i++) {
      if (!samples.next() || !checkSample(samples.start(), samples.length())) {
        return false;
      }
    }
    return samples.at() == reader.end() || reader.fail(DatagramFault.TRAILING);
  }

  private boolean checkSample(int start, int length) {
    switch (samples.format()) {
      case FlowSampleDecoder.COMPACT:
        return flows.check(start, length, false);
      case FlowSampleDecoder.EXPANDED:
        return flows.check(start, length, true);
      case CounterSampleDecoder.COMPACT:
        return counters.check(start, length, false);
      case CounterSampleDecoder.EXPANDED:
        return counters.check(start, length, true);
      default:
        skipped++;
        return true;
    }
  }

  /** The first half of the address that the switch gives as its own; 0 for IPv4. */
  long agentHigh() {
    return isIpv4() ? 0 : reader.hyper(ADDRESS_AT);
  }

  /** The second half of that address, or all of IPv4's. */
  long agentLow() {
    return isIpv4() ? reader.unsigned(ADDRESS_AT) : reader.hyper(ADDRESS_AT + 8);
  }

  private boolean isIpv4() {
    return reader.word(4) == IPV4;
  }

  private IpAddress agent() {
    return isIpv4() ? Addresses.ipv4(agentLow()) : Addresses.ipv6(agentHigh(), agentLow());
  }

  /** The part of the switch that sent it. */
  long subAgent() {
    return reader.unsigned(fieldsAt);
  }

  /** Grows by 1 with every datagram of the sub-agent. */
  int sequence() {
    return reader.word(fieldsAt + 4);
  }

  /** For how long the sub-agent has been running, ms, modulo 2^32. */
  int uptimeMillis() {
    return reader.word(fieldsAt + 8);
  }

  /** Samples of unknown formats in the last one. */
  long skippedSamples() {
    return skipped;
  }

  /** Gives the samples of the datagram that was checked to their taker, in order. */
  void deliver(SampleSink sink) {
    samples.open(fieldsAt + FIELDS_BYTES - Integer.BYTES, reader.end());
    for (int i = 0; i < samples.count(); i++) {
      samples.next();
      deliverSample(samples.start(), samples.length(), sink);
    }
  }

  private void deliverSample(int start, int length, SampleSink sink) {
    switch (samples.format()) {
      case FlowSampleDecoder.COMPACT:
      case FlowSampleDecoder.EXPANDED:
        flows.read(start, length, samples.format() == FlowSampleDecoder.EXPANDED, sample);
        sink.flowSample(sample);
        break;
      case CounterSampleDecoder.COMPACT:
      case CounterSampleDecoder.EXPANDED:
        boolean expanded = samples.format() == CounterSampleDecoder.EXPANDED;
        counters.read(start, length, expanded, agent(), subAgent(), sink);
        break;
      default:
        break;
    }
  }
}

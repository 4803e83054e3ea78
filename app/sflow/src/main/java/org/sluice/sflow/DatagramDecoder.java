// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import java.nio.ByteBuffer;
import org.sluice.api.IpAddress;

/**
 * Datagrams of sFlow version 5. Each sample is checked in all its lengths before anything of it is
 * delivered; a malformed one is reported, and the others are delivered. Samples and records of
 * unknown formats are skipped. Nothing is allocated for flow samples.
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
   * Whether a datagram's header is well-formed; then {@link #deliver} may follow.
   *
   * @param datagram from 0 to its limit; not changed meanwhile
   */
  boolean check(ByteBuffer datagram) {
    reader.open(datagram);
    return checkHeader() && samples.open(countAt(), reader.end());
  }

  /** Why the last one, or its last malformed sample, is so. */
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

  private int countAt() {
    return fieldsAt + FIELDS_BYTES - Integer.BYTES;
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

  /** Samples of unknown formats in the last one that was delivered. */
  long skippedSamples() {
    return skipped;
  }

  /** Gives the samples of the datagram that was checked to their taker, in order. */
  void deliver(SampleSink sink) {
    skipped = 0;
    samples.open(countAt(), reader.end());
    for (int i = 0; i < samples.count(); i++) {
      if (!samples.next()) {
        sink.malformedSample(fault());
        return; // where the next one would begin is not known
      }
      deliverSample(samples.start(), samples.length(), sink);
    }
    if (samples.at() != reader.end()) {
      sink.malformedSample(DatagramFault.TRAILING);
    }
  }

  private void deliverSample(int start, int length, SampleSink sink) {
    switch (samples.format()) {
      case FlowSampleDecoder.COMPACT:
      case FlowSampleDecoder.EXPANDED:
        deliverFlow(start, length, samples.format() == FlowSampleDecoder.EXPANDED, sink);
        break;
      case CounterSampleDecoder.COMPACT:
      case CounterSampleDecoder.EXPANDED:
        deliverCounters(start, length, samples.format() == CounterSampleDecoder.EXPANDED, sink);
        break;
      default:
        skipped++;
    }
  }

  private void deliverFlow(int start, int length, boolean expanded, SampleSink sink) {
    if (flows.check(start, length, expanded)) {
      flows.read(start, length, expanded, sample);
      sink.flowSample(sample);
    } else {
      sink.malformedSample(fault());
    }
  }

  private void deliverCounters(int start, int length, boolean expanded, SampleSink sink) {
    if (counters.check(start, length, expanded)) {
      counters.read(start, length, expanded, agent(), subAgent(), sink);
    } else {
      sink.malformedSample(fault());
    }
  }
}

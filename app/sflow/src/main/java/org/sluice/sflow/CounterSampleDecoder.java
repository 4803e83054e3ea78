// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import org.sluice.api.IpAddress;

/** Counter samples, compact and expanded, of which the generic interface counters are read. */
final class CounterSampleDecoder {
  /** Format of {@code counters_sample}. */
  static final int COMPACT = 2;

  /** Format of {@code counters_sample_expanded}. */
  static final int EXPANDED = 4;

  private static final int COMPACT_BYTES = 12;
  private static final int EXPANDED_BYTES = 16;
  private static final int RECORD_GENERIC = 1;
  private static final int GENERIC_BYTES = 88;

  private final XdrReader reader;
  private final StructureList records;

  CounterSampleDecoder(XdrReader reader) {
    this.reader = reader;
    records = new StructureList(reader, DatagramFault.LENGTH);
  }

  /** Whether the sample is well-formed, with all its records. */
  boolean check(int start, int length, boolean expanded) {
    int fixedBytes = expanded ? EXPANDED_BYTES : COMPACT_BYTES;
    if (length < fixedBytes) {
      return reader.fail(DatagramFault.LENGTH);
    }
    if (!records.open(start + fixedBytes - Integer.BYTES, start + length)) {
      return false;
    }
    for (int i = 0; i < records.count(); i++) {
      if (!records.next()) {
        return false;
      }
      if (records.format() == RECORD_GENERIC && records.length() < GENERIC_BYTES) {
        return reader.fail(DatagramFault.LENGTH);
      }
    }
    return true;
  }

  /** Reads a sample that was checked. */
  void read(
      int start, int length, boolean expanded, IpAddress agent, long subAgent, SampleSink into) {
    int fixedBytes = expanded ? EXPANDED_BYTES : COMPACT_BYTES;
    records.open(start + fixedBytes - Integer.BYTES, start + length);
    for (int i = 0; i < records.count(); i++) {
      records.next();
      if (records.format() == RECORD_GENERIC) {
        into.counterSample(generic(records.start(), agent, subAgent));
      }
    }
  }

  private InterfaceCounters generic(int start, IpAddress agent, long subAgent) {
    return InterfaceCounters.builder()
        .agent(agent)
        .subAgent(subAgent)
        .ifIndex(reader.unsigned(start))
        .speedBitsPerSecond(reader.hyper(start + 8))
        .inOctets(reader.hyper(start + 24))
        .inDiscards(reader.unsigned(start + 44))
        .outOctets(reader.hyper(start + 56))
        .outDiscards(reader.unsigned(start + 76))
        .build();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

/**
 * Structures one behind the other, each with its format and its length before it: the samples of a
 * datagram, the records of a sample. Those of unknown formats can so be skipped, and those that
 * have more fields than this knows be read.
 */
final class StructureList {
  private static final int HEADER_BYTES = 8;

  private final XdrReader reader;
  private final DatagramFault overrun;
  private int at;
  private int end;
  private int count;
  private int format;
  private int start;
  private int length;

  /**
   * A list.
   *
   * @param overrun what it means that one reaches beyond the end
   */
  StructureList(XdrReader reader, DatagramFault overrun) {
    this.reader = reader;
    this.overrun = overrun;
  }

  /**
   * Begins.
   *
   * @param countAt where their number is, with the first of them behind it
   * @param listEnd behind what they are in
   * @return false if there cannot be so many: a fault
   */
  boolean open(int countAt, int listEnd) {
    at = countAt + Integer.BYTES;
    end = listEnd;
    long announced = reader.unsigned(countAt);
    if (announced > (end - at) / HEADER_BYTES) {
      return reader.fail(DatagramFault.COUNT);
    }
    count = (int) announced;
    return true;
  }

  int count() {
    return count;
  }

  /** Goes on to the next one; false if it does not fit: a fault. */
  boolean next() {
    int left = end - at - HEADER_BYTES;
    if (left < 0) {
      return reader.fail(overrun);
    }
    format = reader.word(at);
    long announced = reader.unsigned(at + Integer.BYTES);
    long padded = announced + 3 & ~3L;
    if (padded > left) {
      return reader.fail(overrun);
    }
    start = at + HEADER_BYTES;
    length = (int) announced;
    at = start + (int) padded;
    return true;
  }

  /** Enterprise (20 bits) and format (12 bits) of this one; enterprise 0 is the standard's. */
  int format() {
    return format;
  }

  /** Where this one's fields begin. */
  int start() {
    return start;
  }

  /** Bytes of this one's fields. */
  int length() {
    return length;
  }

  /** Behind the last one that was gone to. */
  int at() {
    return at;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

/**
 * The sequence of one sub-agent's datagrams: finds gaps, duplicates among the last 64, and
 * restarts. What comes late is taken.
 */
final class SequenceWindow {
  private static final int SIZE = Long.SIZE;

  /** Further ahead is no loss but a new beginning. */
  private static final int MAX_GAP = 1 << 20;

  /** A datagram that was overtaken is not older than this. */
  private static final int LATE_MILLIS = 5000;

  private int last;
  private int uptimeMillis;

  /** The last one and the 63 before it, bit 0 being the last one. */
  private long seen;

  SequenceWindow(int sequence, int uptimeMillis) {
    begin(sequence, uptimeMillis);
  }

  private void begin(int sequence, int uptime) {
    last = sequence;
    uptimeMillis = uptime;
    // What was sent before the first one is not counted as lost, and so not taken late.
    seen = -1;
  }

  /** What a datagram is. */
  enum Arrival {
    NEXT,
    RESTART,
    DUPLICATE
  }

  Arrival arrived(int sequence, int uptime, Counters counters) {
    int ahead = sequence - last;
    boolean uptimeFell = uptime - uptimeMillis < -LATE_MILLIS;
    if (uptimeFell || ahead > MAX_GAP || ahead <= -SIZE) {
      begin(sequence, uptime);
      counters.restarts.increment();
      return Arrival.RESTART;
    }
    return ahead > 0 ? advance(ahead, sequence, uptime, counters) : late(-ahead, counters);
  }

  private Arrival advance(int ahead, int sequence, int uptime, Counters counters) {
    seen = ahead < SIZE ? seen << ahead | 1 : 1;
    last = sequence;
    uptimeMillis = uptime;
    counters.lostDatagrams.add(ahead - 1L);
    return Arrival.NEXT;
  }

  private Arrival late(int behind, Counters counters) {
    long bit = 1L << behind;
    if ((seen & bit) != 0) {
      counters.duplicates.increment();
      return Arrival.DUPLICATE;
    }
    seen |= bit;
    counters.lostDatagrams.decrement();
    return Arrival.NEXT;
  }
}

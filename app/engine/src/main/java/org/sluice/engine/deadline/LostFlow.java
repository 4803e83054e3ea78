// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.Arrays;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.Loss;

/** A flow that has lost packets at a port, and what was done about it; used again. */
final class LostFlow {
  /** More at once is left to the timer of the sender: it would take a round trip for each. */
  private static final int MOST_LOSSES = 64;

  private static final long NEVER = Long.MIN_VALUE / 2;

  FlowKey flow;
  DeadlinePort port;

  /** Whether it was known to the table when it lost its first packet. */
  boolean isKnown;

  private int[] sequences = new int[4];
  private int[] lengths = new int[4];
  private long[] kept = new long[4];
  private int count;

  private long latestLossNanos;
  private long actedNanos;
  private long deliveredBytes;
  private long deliveredAtLossBytes;
  private long deliveredNanos;
  private boolean isAnswered;

  /**
   * Begins.
   *
   * @param row of the flow, or null
   */
  void begin(FlowKey lost, DeadlinePort at, GifRow row, long nowNanos) {
    flow = lost;
    port = at;
    isKnown = row != null;
    count = 0;
    actedNanos = NEVER;
    deliveredBytes = isKnown ? row.deliveredBytes : 0;
    deliveredNanos = nowNanos;
    isAnswered = false;
  }

  boolean isEmpty() {
    return count == 0;
  }

  void add(Loss loss, long nowNanos) {
    latestLossNanos = nowNanos;
    deliveredAtLossBytes = deliveredBytes;
    if (count == MOST_LOSSES) {
      return;
    }
    if (count == sequences.length) {
      sequences = Arrays.copyOf(sequences, count * 2);
      lengths = Arrays.copyOf(lengths, count * 2);
      kept = Arrays.copyOf(kept, count * 2);
    }
    sequences[count] = (int) loss.sequence();
    lengths[count] = loss.payloadBytes();
    kept[count] = loss.kept();
    count++;
  }

  /** Notes how much of the flow has arrived. */
  void delivered(long bytes, long nowNanos) {
    if (bytes > deliveredBytes) {
      deliveredBytes = bytes;
      deliveredNanos = nowNanos;
    }
  }

  /** What has arrived since the latest loss, bytes. */
  long progressBytes() {
    return deliveredBytes - deliveredAtLossBytes;
  }

  /** Since when nothing has arrived, or nothing was done, ns. */
  long stalledNanos(long nowNanos) {
    return nowNanos - Math.max(Math.max(deliveredNanos, actedNanos), latestLossNanos);
  }

  long ageNanos(long nowNanos) {
    return nowNanos - latestLossNanos;
  }

  long sinceActedNanos(long nowNanos) {
    return nowNanos - actedNanos;
  }

  void acted(long nowNanos) {
    actedNanos = nowNanos;
  }

  boolean isAnswered() {
    return isAnswered;
  }

  /** The source has been told: what is kept is only sent again if that does not help. */
  void answered(long nowNanos) {
    isAnswered = true;
    actedNanos = nowNanos;
    forgetUnkept();
  }

  /** The lowest lost byte; sequences wrap, but those of one window lie near each other. */
  int first() {
    return sequences[lowest()];
  }

  private int lowest() {
    int lowest = 0;
    for (int i = 1; i < count; i++) {
      if (sequences[i] - sequences[lowest] < 0) {
        lowest = i;
      }
    }
    return lowest;
  }

  /** From the lowest lost byte to the highest, bytes: above that nothing is known to be lost. */
  int spanBytes() {
    int start = first();
    int span = 0;
    for (int i = 0; i < count; i++) {
      span = Math.max(span, sequences[i] - start + lengths[i]);
    }
    return span;
  }

  /** Whether there is a packet of which no copy is kept. */
  boolean isAnyUnkept() {
    for (int i = 0; i < count; i++) {
      if (kept[i] == Loss.NOT_KEPT) {
        return true;
      }
    }
    return false;
  }

  /** Forgets packets of which no copy is kept. */
  private void forgetUnkept() {
    int left = 0;
    for (int i = 0; i < count; i++) {
      if (kept[i] != Loss.NOT_KEPT) {
        move(i, left++);
      }
    }
    count = left;
  }

  /** Takes out the lowest packet; what it is kept by. */
  long takeLowest() {
    int lowest = lowest();
    long name = kept[lowest];
    move(count - 1, lowest); // Their order does not matter.
    count--;
    return name;
  }

  private void move(int from, int to) {
    sequences[to] = sequences[from];
    lengths[to] = lengths[from];
    kept[to] = kept[from];
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import java.util.Arrays;
import org.sluice.sim.packet.Packet;

/**
 * What a receiver has got: all below {@link #next}, and blocks above it (RFC 2018). Blocks are kept
 * in order and found by bisection; most segments extend the last one.
 */
final class Reassembly {
  private long next;
  private long[] lefts = new long[16];
  private long[] rights = new long[16];
  private int head;
  private int count;

  /** A byte of each block lately reported, the newest first; RFC 2018, section 4. */
  private final long[] recent = new long[Packet.MAX_SACK_BLOCKS];

  private int recentCount;

  void reset() {
    next = 0;
    head = count = recentCount = 0;
  }

  /** RCV.NXT: the first byte that is missing. */
  long next() {
    return next;
  }

  /** Whether there are blocks above a hole. */
  boolean hasBlocks() {
    return count > 0;
  }

  /** Takes a segment in; false if all of it was there already. */
  boolean accept(long left, long right) {
    if (right <= next) {
      return false;
    }
    if (left <= next) {
      next = right;
      while (count > 0 && lefts[head] <= next) {
        next = Math.max(next, rights[head]);
        head++;
        count--;
      }
      if (count == 0) {
        head = recentCount = 0;
      }
      return true;
    }
    boolean fresh = insert(left, right);
    remember(left);
    return fresh;
  }

  private boolean insert(long left, long right) {
    int end = head + count;
    // The first block that reaches up to the segment's left edge or beyond.
    int from = count > 0 && rights[end - 1] < left ? end : firstReaching(left);
    if (from < end && lefts[from] <= left && right <= rights[from]) {
      return false;
    }
    if (from == end || lefts[from] > right) {
      makeRoom(from, left, right);
      return true;
    }
    lefts[from] = Math.min(lefts[from], left);
    int last = from;
    while (last + 1 < end && lefts[last + 1] <= right) {
      last++;
    }
    rights[from] = Math.max(rights[last], right);
    if (last > from) {
      System.arraycopy(lefts, last + 1, lefts, from + 1, end - last - 1);
      System.arraycopy(rights, last + 1, rights, from + 1, end - last - 1);
      count -= last - from;
    }
    return true;
  }

  private int firstReaching(long sequence) {
    int low = head;
    int high = head + count;
    while (low < high) {
      int middle = low + high >>> 1;
      if (rights[middle] < sequence) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private void makeRoom(int at, long left, long right) {
    if (head + count == lefts.length) {
      int shift = head;
      if (shift < lefts.length / 2) {
        lefts = Arrays.copyOf(lefts, lefts.length * 2);
        rights = Arrays.copyOf(rights, rights.length * 2);
      }
      System.arraycopy(lefts, shift, lefts, 0, count);
      System.arraycopy(rights, shift, rights, 0, count);
      head = 0;
      at -= shift;
    }
    int behind = head + count - at;
    System.arraycopy(lefts, at, lefts, at + 1, behind);
    System.arraycopy(rights, at, rights, at + 1, behind);
    lefts[at] = left;
    rights[at] = right;
    count++;
  }

  /** Puts the block of a byte first, and drops what now lies in the same block. */
  private void remember(long sequence) {
    int own = firstReaching(sequence + 1);
    int kept = 0;
    long carried = sequence;
    for (int i = 0; i < recentCount; i++) {
      long other = recent[i];
      if (other < next || other >= lefts[own] && other < rights[own]) {
        continue;
      }
      recent[kept++] = carried;
      carried = other;
    }
    if (kept < recent.length) {
      recent[kept++] = carried;
    }
    recentCount = kept;
  }

  /** Writes the blocks into an acknowledgement, the latest first; how many. */
  int report(Packet packet) {
    int written = 0;
    for (int i = 0; i < recentCount; i++) {
      if (recent[i] < next) {
        continue;
      }
      int block = firstReaching(recent[i] + 1);
      boolean known = false;
      for (int j = 0; j < written; j++) {
        known |= packet.sackLeft[j] == lefts[block];
      }
      if (!known) {
        packet.sackLeft[written] = lefts[block];
        packet.sackRight[written] = rights[block];
        written++;
      }
    }
    packet.sackBlocks = written;
    return written;
  }
}

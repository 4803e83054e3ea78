// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

/**
 * The segments in flight and what is known of each (RFC 6675): a ring over the window. Segments are
 * numbered as they are first sent. A segment counts as lost when three above it have been SACKed;
 * the lost ones therefore are all that are not SACKed below one point, which only moves up.
 *
 * <p>SACKed segments are bits, so that a block which is reported again and again costs one step per
 * 64 segments; all else is amortised to a constant per packet.
 */
final class Scoreboard {
  static final long NONE = -1;

  /** RFC 6675: DupThresh. */
  static final int DUPLICATE_THRESHOLD = 3;

  private static final int INITIAL_SEGMENTS = 64;
  private static final byte LOST = 1;
  private static final byte RESENT = 2;
  private static final byte EVER_RESENT = 4;

  private int mask = INITIAL_SEGMENTS - 1;
  private long[] starts = new long[INITIAL_SEGMENTS];
  private long[] sentNanos = new long[INITIAL_SEGMENTS];
  private byte[] marks = new byte[INITIAL_SEGMENTS];
  private long[] sacked = new long[INITIAL_SEGMENTS / Long.SIZE];

  private final DeliveryRate rate;

  /** Segments [first, next) are in flight; byte nextSequence is the next new one. */
  private long first;

  private long next;
  private long firstSequence;
  private long nextSequence;

  private long pipeBytes;
  private int sackedSegments;
  private long highestSacked = NONE;
  private long lostEnd;
  private long resendNext;

  private long deliveredBytes;
  private long lostBytes;
  private long newestSentNanos = NONE;

  /**
   * @param rate is notified of each segment sent and delivered; null for none
   */
  Scoreboard(DeliveryRate rate) {
    this.rate = rate;
  }

  void reset() {
    for (long i = first; i < next; i++) {
      forget(slot(i));
    }
    first = next = firstSequence = nextSequence = 0;
    pipeBytes = 0;
    sackedSegments = 0;
    highestSacked = NONE;
    lostEnd = resendNext = 0;
    deliveredBytes = lostBytes = 0;
    newestSentNanos = NONE;
  }

  /** SND.UNA. */
  long firstSequence() {
    return firstSequence;
  }

  /** SND.NXT: HighData. */
  long nextSequence() {
    return nextSequence;
  }

  /** RFC 5681's FlightSize: all between both. */
  long outstandingBytes() {
    return nextSequence - firstSequence;
  }

  /** RFC 6675's pipe: what is thought to be in the network. */
  long pipeBytes() {
    return pipeBytes;
  }

  /** All bytes known to have arrived. */
  long deliveredBytes() {
    return deliveredBytes;
  }

  /** All bytes ever taken for lost. */
  long lostBytes() {
    return lostBytes;
  }

  /** A new segment is sent. */
  void append(int bytes, long nowNanos) {
    if (next - first > mask) {
      grow();
    }
    int slot = slot(next);
    starts[slot] = nextSequence;
    sentNanos[slot] = nowNanos;
    next++;
    nextSequence += bytes;
    pipeBytes += bytes;
    if (rate != null) {
      rate.sent(slot, nowNanos, pipeBytes == bytes, deliveredBytes);
    }
  }

  /** Takes in a cumulative acknowledgement; what it moved by, bytes. */
  long acknowledge(long sequence) {
    long before = firstSequence;
    while (first < next && end(first) <= sequence) {
      int slot = slot(first);
      int bytes = (int) (end(first) - starts[slot]);
      if (isSacked(slot)) {
        sackedSegments--;
      } else {
        delivered(slot, bytes);
      }
      forget(slot);
      firstSequence += bytes;
      first++;
    }
    lostEnd = Math.max(lostEnd, first);
    resendNext = Math.max(resendNext, first);
    if (highestSacked < first) {
      highestSacked = NONE;
    }
    return firstSequence - before;
  }

  /** Takes a SACK block; true if it covers anything new. */
  boolean sack(long left, long right) {
    long from = numberOf(Math.max(left, firstSequence));
    long to = numberOf(Math.min(right, nextSequence));
    int before = sackedSegments;
    long i = from;
    while (i < to) {
      int slot = slot(i);
      int bit = slot % Long.SIZE;
      long span = Math.min(Long.SIZE - bit, to - i);
      long covered = -1L >>> Long.SIZE - span << bit;
      int word = slot / Long.SIZE;
      long fresh = covered & ~sacked[word];
      sacked[word] |= fresh;
      while (fresh != 0) {
        long number = i - bit + Long.numberOfTrailingZeros(fresh);
        delivered(slot(number), length(number));
        sackedSegments++;
        fresh &= fresh - 1;
      }
      i += span;
    }
    if (sackedSegments == before) {
      return false;
    }
    highestSacked = Math.max(highestSacked, to - 1);
    return true;
  }

  /** The send time of the newest segment delivered that was sent once (Karn); then forgotten. */
  long takeNewestSentNanos() {
    long taken = newestSentNanos;
    newestSentNanos = NONE;
    return taken;
  }

  /** Takes for lost what has three SACKed segments above it (RFC 6675, IsLost). */
  void markLost() {
    if (sackedSegments < DUPLICATE_THRESHOLD) {
      return;
    }
    long third = highestSacked;
    for (int found = 1; found < DUPLICATE_THRESHOLD; ) {
      third--;
      if (isSacked(slot(third))) {
        found++;
      }
    }
    for (; lostEnd < third; lostEnd++) {
      markLost(lostEnd);
    }
  }

  /** Takes the first segment for lost, once again if it was sent again. */
  void markFirstLost() {
    int slot = slot(first);
    if ((marks[slot] & RESENT) != 0) {
      marks[slot] &= ~RESENT;
      pipeBytes -= length(first);
    }
    markLost(first);
    lostEnd = Math.max(lostEnd, first + 1);
    resendNext = first;
  }

  /**
   * Takes all for lost that is not SACKed, and all retransmissions too. If the first segment is
   * SACKed the receiver lacks what it had reported: nothing of that is taken as delivered any
   * longer (RFC 2018, section 8).
   */
  void markAllLost() {
    if (first < next && isSacked(slot(first))) {
      forgetSacked();
    }
    for (long i = first; i < next; i++) {
      marks[slot(i)] &= ~RESENT;
      markLost(i);
    }
    pipeBytes = 0;
    lostEnd = next;
    resendNext = first;
  }

  private void forgetSacked() {
    for (long i = first; i < next; i++) {
      int slot = slot(i);
      if (isSacked(slot)) {
        deliveredBytes -= length(i);
        marks[slot] &= ~LOST;
        pipeBytes += length(i);
        sacked[slot / Long.SIZE] &= ~(1L << slot);
      }
    }
    sackedSegments = 0;
    highestSacked = NONE;
  }

  private void markLost(long number) {
    int slot = slot(number);
    if (!isSacked(slot) && (marks[slot] & LOST) == 0) {
      marks[slot] |= LOST;
      int bytes = length(number);
      pipeBytes -= bytes;
      lostBytes += bytes;
    }
  }

  /** Whether the first segment is lost, and not sent again yet. */
  boolean isFirstLost() {
    return first < next && (marks[slot(first)] & (LOST | RESENT)) == LOST;
  }

  /** RFC 6675, NextSeg rule 1: the first lost segment not sent again; or {@link #NONE}. */
  long nextLost() {
    for (; resendNext < lostEnd; resendNext++) {
      if (mayResend(resendNext)) {
        return resendNext;
      }
    }
    return NONE;
  }

  /** RFC 6675, NextSeg rule 3: the same without its being lost, below a SACKed one. */
  long nextMissing() {
    for (; resendNext < highestSacked; resendNext++) {
      if (mayResend(resendNext)) {
        return resendNext;
      }
    }
    return NONE;
  }

  private boolean mayResend(long number) {
    int slot = slot(number);
    return !isSacked(slot) && (marks[slot] & RESENT) == 0;
  }

  /** A segment is sent again. */
  void resent(long number, long nowNanos) {
    int slot = slot(number);
    marks[slot] |= RESENT | EVER_RESENT;
    sentNanos[slot] = nowNanos;
    boolean wasIdle = pipeBytes == 0;
    pipeBytes += length(number);
    if (rate != null) {
      rate.sent(slot, nowNanos, wasIdle, deliveredBytes);
    }
  }

  long sequenceOf(long number) {
    return starts[slot(number)];
  }

  int length(long number) {
    return (int) (end(number) - starts[slot(number)]);
  }

  private long end(long number) {
    return number + 1 < next ? starts[slot(number + 1)] : nextSequence;
  }

  private void delivered(int slot, int bytes) {
    byte mark = marks[slot];
    if ((mark & LOST) == 0) {
      pipeBytes -= bytes;
    }
    if ((mark & RESENT) != 0) {
      pipeBytes -= bytes;
    }
    deliveredBytes += bytes;
    if ((mark & EVER_RESENT) == 0) {
      newestSentNanos = Math.max(newestSentNanos, sentNanos[slot]);
    }
    if (rate != null) {
      rate.delivered(slot, sentNanos[slot]);
    }
  }

  /** The first segment that begins at or after a byte. Almost all have one length: guess first. */
  private long numberOf(long sequence) {
    if (sequence >= nextSequence) {
      return next;
    }
    long guess = first + (sequence - firstSequence) / Math.max(1, length(first));
    if (guess < next && starts[slot(guess)] == sequence) {
      return guess;
    }
    long low = first;
    long high = next;
    while (low < high) {
      long middle = low + high >>> 1;
      if (starts[slot(middle)] < sequence) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private boolean isSacked(int slot) {
    return (sacked[slot / Long.SIZE] & 1L << slot) != 0;
  }

  private void forget(int slot) {
    marks[slot] = 0;
    sacked[slot / Long.SIZE] &= ~(1L << slot);
  }

  private int slot(long number) {
    return (int) number & mask;
  }

  private void grow() {
    int before = mask + 1;
    int largerMask = before * 2 - 1;
    long[] largerSacked = new long[before * 2 / Long.SIZE];
    long[] largerStarts = new long[before * 2];
    long[] largerSent = new long[before * 2];
    byte[] largerMarks = new byte[before * 2];
    for (long i = first; i < next; i++) {
      int from = slot(i);
      int to = (int) i & largerMask;
      largerStarts[to] = starts[from];
      largerSent[to] = sentNanos[from];
      largerMarks[to] = marks[from];
      if (isSacked(from)) {
        largerSacked[to / Long.SIZE] |= 1L << to;
      }
    }
    if (rate != null) {
      rate.grow(first, next, mask, largerMask);
    }
    starts = largerStarts;
    sentNanos = largerSent;
    marks = largerMarks;
    sacked = largerSacked;
    mask = largerMask;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import java.util.Arrays;

/**
 * Delivery rate samples (draft-cheng-iccrg-delivery-rate-estimation-00): what arrived between two
 * acknowledgements, over the longer of the times it took to send and to acknowledge it.
 */
final class DeliveryRate {
  private static final double BITS_NANOS = 8e9;
  private static final int INITIAL_SEGMENTS = 64;

  private long[] priorDelivered = new long[INITIAL_SEGMENTS];
  private long[] priorDeliveredNanos = new long[INITIAL_SEGMENTS];
  private long[] priorFirstSentNanos = new long[INITIAL_SEGMENTS];
  private boolean[] limited = new boolean[INITIAL_SEGMENTS];

  private long deliveredNanos;
  private long firstSentNanos;
  private long limitedUntilBytes;

  private boolean fresh;
  private long samplePriorDelivered;
  private long samplePriorNanos;
  private long sampleSendNanos;
  private boolean sampleLimited;

  void reset() {
    deliveredNanos = 0;
    firstSentNanos = 0;
    limitedUntilBytes = 0;
    fresh = false;
  }

  /** A segment leaves. */
  void sent(int slot, long nowNanos, boolean wasIdle, long deliveredBytes) {
    if (wasIdle) {
      firstSentNanos = nowNanos;
      deliveredNanos = nowNanos;
    }
    priorDelivered[slot] = deliveredBytes;
    priorDeliveredNanos[slot] = deliveredNanos;
    priorFirstSentNanos[slot] = firstSentNanos;
    limited[slot] = limitedUntilBytes > deliveredBytes;
  }

  /** A segment is known to have arrived: the newest makes the sample. */
  void delivered(int slot, long sentNanos) {
    if (!fresh || priorDelivered[slot] > samplePriorDelivered) {
      fresh = true;
      samplePriorDelivered = priorDelivered[slot];
      samplePriorNanos = priorDeliveredNanos[slot];
      sampleSendNanos = sentNanos - priorFirstSentNanos[slot];
      sampleLimited = limited[slot];
      firstSentNanos = sentNanos;
    }
  }

  /** The application has nothing to send: it limits the samples of what is in flight. */
  void limitedByApplication(long deliveredBytes, long flightBytes) {
    limitedUntilBytes = Math.max(1, deliveredBytes + flightBytes);
  }

  /** Ends an acknowledgement: fills in the sample, if there is one. */
  void sample(Acknowledgement into, long deliveredBytes, long minimumRttNanos) {
    into.deliveryBitsPerSecond = 0;
    into.applicationLimited = false;
    if (!fresh) {
      return;
    }
    fresh = false;
    deliveredNanos = into.nowNanos;
    if (limitedUntilBytes > 0 && deliveredBytes > limitedUntilBytes) {
      limitedUntilBytes = 0;
    }
    into.priorDeliveredBytes = samplePriorDelivered;
    into.applicationLimited = sampleLimited;
    long interval = Math.max(sampleSendNanos, into.nowNanos - samplePriorNanos);
    if (interval > 0 && interval >= minimumRttNanos) {
      into.deliveryBitsPerSecond = (deliveredBytes - samplePriorDelivered) * BITS_NANOS / interval;
    }
  }

  void grow(long first, long next, int mask, int largerMask) {
    int before = mask + 1;
    priorDelivered = spread(priorDelivered, first, next, mask, largerMask);
    priorDeliveredNanos = spread(priorDeliveredNanos, first, next, mask, largerMask);
    priorFirstSentNanos = spread(priorFirstSentNanos, first, next, mask, largerMask);
    boolean[] old = limited;
    limited = Arrays.copyOf(old, before * 2);
    for (long i = first; i < next; i++) {
      limited[(int) i & largerMask] = old[(int) i & mask];
    }
  }

  private static long[] spread(long[] old, long first, long next, int mask, int largerMask) {
    long[] larger = new long[largerMask + 1];
    for (long i = first; i < next; i++) {
      larger[(int) i & largerMask] = old[(int) i & mask];
    }
    return larger;
  }
}

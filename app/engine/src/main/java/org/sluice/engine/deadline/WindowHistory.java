// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

/**
 * The windows that a flow has had lately, and for how long each: what it may have sent since it was
 * last told of. The present one alone would not do, nor would the two last ones: a flow that waited
 * with a closed window and got one that was widened twice since would count as one that has sent a
 * wide window in every round trip of its wait.
 */
final class WindowHistory {
  /** More former ones are made fewer by their mean. */
  private static final int MOST_FORMER = 7;

  // In force. Apart from the former ones: of most flows nothing else is ever asked.
  private long presentBytes;
  private long presentSinceNanos;

  /** Former ones that are known, the latest last; below 0: none is in force either. */
  private int former = -1;

  private final long[] bytes = new long[MOST_FORMER];
  private final long[] sinceNanos = new long[MOST_FORMER];

  /** The window in force, bytes; 0 before there was any. */
  long bytes() {
    return presentBytes;
  }

  /** The wider of the window in force and the one before, bytes. */
  long widestBytes() {
    return former < 1 ? presentBytes : Math.max(presentBytes, bytes[former - 1]);
  }

  /** Another window is in force from now on; times do not go back. */
  void set(long windowBytes, long nowNanos) {
    if (former >= 0) {
      if (windowBytes == presentBytes) {
        return;
      }
      if (former == MOST_FORMER) {
        forgetOne();
      }
      bytes[former] = presentBytes;
      sinceNanos[former] = presentSinceNanos;
    }
    former++;
    presentBytes = windowBytes;
    presentSinceNanos = nowNanos;
  }

  /** The two oldest become one that is worth as much. */
  private void forgetOne() {
    long first = sinceNanos[1] - sinceNanos[0];
    long second = sinceNanos[2] - sinceNanos[1];
    double worth = (double) bytes[0] * first + (double) bytes[1] * second;
    bytes[1] = first + second == 0 ? bytes[1] : Math.round(worth / (first + second));
    sinceNanos[1] = sinceNanos[0];
    former--;
    System.arraycopy(bytes, 1, bytes, 0, former);
    System.arraycopy(sinceNanos, 1, sinceNanos, 0, former);
  }

  /** The integral of the window over time, from then until now, bytes x ns; of none before all. */
  double byteNanos(long fromNanos, long nowNanos) {
    long until = Math.max(fromNanos, presentSinceNanos);
    double sum = (double) presentBytes * Math.max(0, nowNanos - until);
    for (int i = former - 1; i >= 0 && until > fromNanos; i--) {
      long since = Math.max(fromNanos, sinceNanos[i]);
      sum += (double) bytes[i] * (until - since);
      until = since;
    }
    return sum;
  }

  /** Takes over what another flow has had. */
  void copy(WindowHistory other) {
    presentBytes = other.presentBytes;
    presentSinceNanos = other.presentSinceNanos;
    former = other.former;
    System.arraycopy(other.bytes, 0, bytes, 0, MOST_FORMER);
    System.arraycopy(other.sinceNanos, 0, sinceNanos, 0, MOST_FORMER);
  }
}

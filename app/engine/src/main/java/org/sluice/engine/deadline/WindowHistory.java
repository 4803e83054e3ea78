// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

/**
 * The windows that a flow has had lately, and for how long each: what it may have sent since it was
 * last told of. The present one alone would not do, nor would the two last ones: a flow that waited
 * with a closed window and got one that was widened twice since would count as one that has sent a
 * wide window in every round trip of its wait.
 */
final class WindowHistory {
  /** More are made fewer by their mean. */
  private static final int MOST = 8;

  private final long[] bytes = new long[MOST];
  private final long[] sinceNanos = new long[MOST];

  /** Those that are known; the last is in force. */
  private int steps;

  /** The window in force, bytes; 0 before there was any. */
  long bytes() {
    return steps == 0 ? 0 : bytes[steps - 1];
  }

  /** The wider of the window in force and the one before, bytes. */
  long widestBytes() {
    return steps < 2 ? bytes() : Math.max(bytes(), bytes[steps - 2]);
  }

  /** Another window is in force from now on; times do not go back. */
  void set(long windowBytes, long nowNanos) {
    if (steps > 0 && windowBytes == bytes()) {
      return;
    }
    if (steps == MOST) {
      forgetOne();
    }
    bytes[steps] = windowBytes;
    sinceNanos[steps] = nowNanos;
    steps++;
  }

  /** The two oldest become one that is worth as much. */
  private void forgetOne() {
    long first = sinceNanos[1] - sinceNanos[0];
    long second = sinceNanos[2] - sinceNanos[1];
    double worth = (double) bytes[0] * first + (double) bytes[1] * second;
    bytes[1] = first + second == 0 ? bytes[1] : Math.round(worth / (first + second));
    sinceNanos[1] = sinceNanos[0];
    steps--;
    System.arraycopy(bytes, 1, bytes, 0, steps);
    System.arraycopy(sinceNanos, 1, sinceNanos, 0, steps);
  }

  /** The integral of the window over time, from then until now, bytes x ns; of none before all. */
  double byteNanos(long fromNanos, long nowNanos) {
    double sum = 0;
    long until = nowNanos;
    for (int i = steps - 1; i >= 0 && until > fromNanos; i--) {
      long since = Math.max(fromNanos, sinceNanos[i]);
      sum += (double) bytes[i] * Math.max(0, until - since);
      until = sinceNanos[i];
    }
    return sum;
  }

  /** Takes over what another flow has had. */
  void copy(WindowHistory other) {
    steps = other.steps;
    System.arraycopy(other.bytes, 0, bytes, 0, steps);
    System.arraycopy(other.sinceNanos, 0, sinceNanos, 0, steps);
  }
}

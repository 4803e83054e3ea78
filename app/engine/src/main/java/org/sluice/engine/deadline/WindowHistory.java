// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

/**
 * The windows that a flow has had lately before the one in force, and since when each: what it may
 * have sent since the last report of it. The latest one alone would not do: a flow that waited with
 * a closed window and got one that was widened twice since would count as one that has sent a wide
 * window in every round trip of its wait.
 */
final class WindowHistory {
  /** More are made fewer by their mean. */
  private static final int MOST = 7;

  /** The latest last. */
  private final long[] bytes = new long[MOST];

  /** The widest of those that have become one. */
  private final long[] widestBytes = new long[MOST];

  private final long[] sinceNanos = new long[MOST];
  private int size;

  /** The latest, bytes; 0 if there is none. */
  long latestBytes() {
    return size == 0 ? 0 : bytes[size - 1];
  }

  /** One is in force no longer; times do not go back. */
  void add(long windowBytes, long fromNanos) {
    if (size == MOST) {
      forgetOne();
    }
    bytes[size] = windowBytes;
    widestBytes[size] = windowBytes;
    sinceNanos[size] = fromNanos;
    size++;
  }

  /** The two oldest become one that is worth as much. */
  private void forgetOne() {
    long first = sinceNanos[1] - sinceNanos[0];
    long second = sinceNanos[2] - sinceNanos[1];
    double worth = (double) bytes[0] * first + (double) bytes[1] * second;
    bytes[1] = first + second == 0 ? bytes[1] : Math.round(worth / (first + second));
    widestBytes[1] = Math.max(widestBytes[0], widestBytes[1]);
    sinceNanos[1] = sinceNanos[0];
    size--;
    System.arraycopy(bytes, 1, bytes, 0, size);
    System.arraycopy(widestBytes, 1, widestBytes, 0, size);
    System.arraycopy(sinceNanos, 1, sinceNanos, 0, size);
  }

  /**
   * The widest that was in force after a time, bytes; 0 if there was none.
   *
   * @param endNanos when the latest was in force no longer
   */
  long widestBytes(long fromNanos, long endNanos) {
    long until = endNanos;
    long widest = 0;
    for (int i = size - 1; i >= 0 && until > fromNanos; i--) {
      widest = Math.max(widest, widestBytes[i]);
      until = sinceNanos[i];
    }
    return widest;
  }

  /**
   * The integral of the window over time, bytes x ns; of none before all.
   *
   * @param endNanos when the latest was in force no longer
   */
  double byteNanos(long fromNanos, long endNanos) {
    long until = endNanos;
    double sum = 0;
    for (int i = size - 1; i >= 0 && until > fromNanos; i--) {
      long since = Math.max(fromNanos, sinceNanos[i]);
      sum += (double) bytes[i] * (until - since);
      until = since;
    }
    return sum;
  }

  /** Takes over what another flow has had. */
  void copy(WindowHistory other) {
    size = other.size;
    System.arraycopy(other.bytes, 0, bytes, 0, MOST);
    System.arraycopy(other.widestBytes, 0, widestBytes, 0, MOST);
    System.arraycopy(other.sinceNanos, 0, sinceNanos, 0, MOST);
  }
}

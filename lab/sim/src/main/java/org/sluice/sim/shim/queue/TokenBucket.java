// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.queue;

/**
 * A token bucket, exact to the nanosecond: it counts in thousand-millionths of a bit, so that a
 * rate in bit/s earns whole tokens in whole nanoseconds.
 */
final class TokenBucket {
  private static final long TOKENS_PER_BYTE = 8_000_000_000L;

  /** Up to this rate and time their product cannot overflow. */
  private static final long SAFE_RATE = 1L << 40;

  private static final long SAFE_NANOS = 1L << 22;

  private long rateBitsPerSecond;
  private long depth;
  private long tokens;
  private long filledNanos;

  /** A full bucket. */
  TokenBucket(long rateBitsPerSecond, long depthBytes) {
    set(rateBitsPerSecond, depthBytes);
    tokens = depth;
  }

  /** Changes rate and depth; it keeps what it has, as far as there is space. */
  void change(long bitsPerSecond, long depthBytes, long nowNanos) {
    fill(nowNanos);
    set(bitsPerSecond, depthBytes);
    tokens = Math.min(tokens, depth);
  }

  private void set(long bitsPerSecond, long depthBytes) {
    rateBitsPerSecond = Math.max(1, bitsPerSecond);
    depth = depthBytes * TOKENS_PER_BYTE;
  }

  long rateBitsPerSecond() {
    return rateBitsPerSecond;
  }

  /** Whether it owes nothing: how HTB lets a class send. */
  boolean isSettled(long nowNanos) {
    fill(nowNanos);
    return tokens >= 0;
  }

  /** Whether it holds so many bytes: how the papers let a packet pass. */
  boolean holds(int bytes, long nowNanos) {
    fill(nowNanos);
    return tokens >= bytes * TOKENS_PER_BYTE;
  }

  /** Takes so many bytes, into debt if need be. */
  void charge(int bytes) {
    tokens -= bytes * TOKENS_PER_BYTE;
  }

  /** When it will hold so many bytes, if nothing is taken: now, or the first nanosecond. */
  long readyNanos(int bytes, long nowNanos) {
    fill(nowNanos);
    long lack = bytes * TOKENS_PER_BYTE - tokens;
    return lack <= 0 ? nowNanos : nowNanos + (lack + rateBitsPerSecond - 1) / rateBitsPerSecond;
  }

  private void fill(long nowNanos) {
    long nanos = nowNanos - filledNanos;
    if (nanos == 0) {
      return;
    }
    filledNanos = nowNanos;
    boolean fits = nanos < SAFE_NANOS && rateBitsPerSecond < SAFE_RATE;
    if (fits || nanos <= (depth - tokens) / rateBitsPerSecond) {
      tokens = Math.min(depth, tokens + rateBitsPerSecond * nanos);
    } else {
      tokens = depth;
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.silent;

import static java.util.concurrent.TimeUnit.SECONDS;

import org.sluice.engine.control.EndpointShare;

/**
 * The limit of one endpoint whose agent is silent, as it follows what the endpoint may send. A
 * switch takes its time for each change, and its meter drops: so small changes are left out, what
 * is less comes at once, and what is more only when it has lasted, and in steps. A port that was
 * just relieved by the limit shows no marks and seems to be free: a step beyond what it carries
 * lasts until its next marks.
 *
 * <p>Not thread-safe.
 */
final class SilentLimit {
  /** A smaller relative change is not worth one of a meter. */
  static final double NOTICEABLE = 0.05;

  /** No two changes come within so long, ns. */
  static final long CHANGE_NANOS = SECONDS.toNanos(1);

  /** More has to be due for so long before it is given, ns. */
  static final long RISE_NANOS = SECONDS.toNanos(3);

  /** So many times what it was is the most that it becomes at once. */
  static final double RISE = 1.25;

  private static final long NOT_HIGHER = Long.MIN_VALUE;
  private static final long NONE = 0;

  private long limit = NONE;
  private long changedNanos;
  private long higherSinceNanos = NOT_HIGHER;
  private long leastHigher;

  /**
   * What an endpoint may send: the least that its ceilings and ports under control leave to it, and
   * not less than its guarantee, which those that it exceeds never take away.
   *
   * @param guaranteeBitsPerSecond as it was sent to its host; 0 is none
   * @param share what is known of it
   * @param capacityBitsPerSecond of its edge port; 0: not known
   * @return bit/s, above 0; {@link EndpointShare#UNBOUNDED} if nothing bounds it
   */
  static long due(long guaranteeBitsPerSecond, EndpointShare share, long capacityBitsPerSecond) {
    long held = share.heldBitsPerSecond();
    long most = capacityBitsPerSecond > 0 ? Math.min(held, capacityBitsPerSecond) : held;
    long least = Math.min(guaranteeBitsPerSecond, most);
    return Math.max(1, Math.max(least, Math.min(most, share.shareBitsPerSecond())));
  }

  /**
   * Follows what is due now.
   *
   * @param dueBitsPerSecond above 0
   * @param nowNanos any clock that never jumps; it grows from call to call
   * @return the limit from now on, bit/s
   */
  long follow(long dueBitsPerSecond, long nowNanos) {
    if (limit == NONE) {
      change(dueBitsPerSecond, nowNanos);
    } else if (dueBitsPerSecond < limit * (1 - NOTICEABLE)) {
      higherSinceNanos = NOT_HIGHER;
      if (nowNanos - changedNanos >= CHANGE_NANOS) {
        change(dueBitsPerSecond, nowNanos);
      }
    } else if (dueBitsPerSecond > limit * (1 + NOTICEABLE)) {
      rise(dueBitsPerSecond, nowNanos);
    } else {
      higherSinceNanos = NOT_HIGHER;
    }
    return limit;
  }

  private void rise(long due, long now) {
    if (higherSinceNanos == NOT_HIGHER) {
      higherSinceNanos = now;
      leastHigher = due;
    }
    leastHigher = Math.min(leastHigher, due);
    if (now - higherSinceNanos >= RISE_NANOS) {
      change((long) Math.min(leastHigher, limit * RISE), now);
    }
  }

  private void change(long to, long now) {
    limit = to;
    changedNanos = now;
    higherSinceNanos = NOT_HIGHER;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.sluice;

/**
 * Whether a class would send more than it may: it has held packets for {@link #BEGIN_NANOS}, with
 * gaps shorter than {@link #END_NANOS}. A rate says no such thing: one that loses packets gets
 * little, one of many small ones gets what chance leaves.
 */
final class Waiting {
  /** A transfer of a few packets is over before the controller could do anything for it. */
  static final long BEGIN_NANOS = 10_000_000L;

  /** What is held back by its own window leaves its class empty for as long as a round trip. */
  static final long END_NANOS = 10_000_000L;

  /** A pair counts as one of those that wait so long after its last packet. */
  static final long MEMBER_NANOS = 50_000_000L;

  private static final long NEVER = Long.MIN_VALUE;

  private long sinceNanos = NEVER;
  private long heldNanos;
  private boolean isWaiting;

  /** Takes whether the class holds packets now. */
  void observe(boolean holds, long nowNanos) {
    if (holds) {
      sinceNanos = sinceNanos == NEVER ? nowNanos : sinceNanos;
      heldNanos = nowNanos;
      isWaiting |= nowNanos - sinceNanos >= BEGIN_NANOS;
    } else if (nowNanos - heldNanos >= END_NANOS) {
      sinceNanos = NEVER;
      isWaiting = false;
    }
  }

  boolean isWaiting() {
    return isWaiting;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.queue;

import java.util.Arrays;

/**
 * What an endpoint may send by other levels than the last: half of each slot's limit, and 100 ms of
 * that at once, as the agent's shim has it. So half of a congested port is left for the last level,
 * however many flows begin.
 */
public final class PriorityLimits {
  private static final int ONE_IN = 2;
  private static final double BURST_SECONDS = 0.1;
  private static final double BITS_PER_BYTE = 8;

  private final ClassQueueParameters parameters;
  private final TokenBucket[] tokens = new TokenBucket[ClassQueue.SLOTS];

  public PriorityLimits(ClassQueueParameters parameters) {
    this.parameters = parameters;
    long nic = parameters.nicBitsPerSecond();
    Arrays.setAll(tokens, slot -> new TokenBucket(nic / ONE_IN, depthBytes(nic)));
  }

  private long depthBytes(long bitsPerSecond) {
    long burst = (long) (bitsPerSecond * BURST_SECONDS / (ONE_IN * BITS_PER_BYTE));
    return Math.max(2L * parameters.frameBytes(), burst);
  }

  /** Follows the limit of a slot. */
  public void setLimit(int slot, long bitsPerSecond, long nowNanos) {
    tokens[slot].change(bitsPerSecond / ONE_IN, depthBytes(bitsPerSecond), nowNanos);
  }

  /** Whether a packet may leave by another level than the last; if so it counts. */
  public boolean take(int slot, int bytes, long nowNanos) {
    if (!tokens[slot].holds(bytes, nowNanos)) {
      return false;
    }
    tokens[slot].charge(bytes);
    return true;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.queue;

import java.util.Arrays;

/**
 * Separates an endpoint's sparse flows from bulk, as the agent's shim does: a flow with more than
 * 15 KB (at low limits, less) in the last 100 ms is bulk, and sparse again after a pause. All
 * sparse flows of a slot together get a quarter of its limit: what exceeds it is bulk. Flows are
 * known by their hash.
 */
public final class SparseFlows {
  private static final long WINDOW_NANOS = 100_000_000L;

  /** A bulk leaf holds 10 ms: after twice that the flow's packets have left it. */
  private static final long RETURN_NANOS = 20_000_000L;

  private static final long FLOW_BYTES = 15_000;

  private final TokenBucket[] tokens = new TokenBucket[ClassQueue.SLOTS];
  private final long[] flowBytes = new long[ClassQueue.SLOTS];

  // A hash table with open addressing.
  private int mask = 63;
  private int used;
  private boolean[] taken = new boolean[64];
  private int[] hashes = new int[64];
  private long[] windowStarted = new long[64];
  private long[] lastNanos = new long[64];
  private long[] windowBytes = new long[64];
  private long[] previousBytes = new long[64];
  private boolean[] bulk = new boolean[64];
  private byte[] slots = new byte[64];

  private final int[] bulkFlows = new int[ClassQueue.SLOTS];

  public SparseFlows(ClassQueueParameters parameters) {
    long nic = parameters.nicBitsPerSecond();
    for (int slot = 0; slot < tokens.length; slot++) {
      tokens[slot] = new TokenBucket(nic / 4, parameters.leafBytes(nic));
      setLimit(slot, nic, parameters, 0);
    }
  }

  /** Follows the limit of a slot. */
  public void setLimit(
      int slot, long bitsPerSecond, ClassQueueParameters parameters, long nowNanos) {
    long quarter = bitsPerSecond / 4;
    tokens[slot].change(quarter, parameters.leafBytes(bitsPerSecond), nowNanos);
    // Half of what the quarter carries in the window: else a slow endpoint's only flow never left
    // it.
    flowBytes[slot] = Math.min(FLOW_BYTES, quarter / 8 / 10 / 2);
  }

  /**
   * Counts a packet of a flow; whether it goes into the sparse leaf. Acknowledgements without data
   * make no flow bulk, however many: behind bulk they would hold back what comes the other way.
   */
  public boolean isSparse(int flowHash, int slot, int bytes, boolean hasData, long nowNanos) {
    int at = find(flowHash, nowNanos);
    long recent = recentBytes(at, hasData ? bytes : 0, nowNanos);
    boolean paused = nowNanos - lastNanos[at] > RETURN_NANOS;
    lastNanos[at] = nowNanos;
    slots[at] = (byte) slot;
    if (recent > flowBytes[slot]) {
      bulk[at] = true;
    } else if (bulk[at] && paused) {
      bulk[at] = false;
    }
    if (!bulk[at]) {
      if (tokens[slot].holds(bytes, nowNanos)) {
        tokens[slot].charge(bytes);
      } else {
        bulk[at] = true;
      }
    }
    return !bulk[at];
  }

  /**
   * The current window's bytes, and the part of the one before that the last 100 ms still cover.
   */
  private long recentBytes(int at, int bytes, long now) {
    long age = now - windowStarted[at];
    if (age >= 2 * WINDOW_NANOS) {
      windowStarted[at] = now;
      windowBytes[at] = 0;
      previousBytes[at] = 0;
      age = 0;
    } else if (age >= WINDOW_NANOS) {
      windowStarted[at] += WINDOW_NANOS;
      previousBytes[at] = windowBytes[at];
      windowBytes[at] = 0;
      age -= WINDOW_NANOS;
    }
    windowBytes[at] += bytes;
    return windowBytes[at] + previousBytes[at] * (WINDOW_NANOS - age) / WINDOW_NANOS;
  }

  private int find(int flowHash, long now) {
    int at = place(flowHash);
    if (taken[at]) {
      return at;
    }
    if (used * 2 > mask) {
      rebuild(now);
      at = place(flowHash);
    }
    used++;
    taken[at] = true;
    hashes[at] = flowHash;
    windowStarted[at] = now;
    lastNanos[at] = now;
    windowBytes[at] = 0;
    previousBytes[at] = 0;
    bulk[at] = false;
    return at;
  }

  /** Counts the bulk flows of each slot anew. */
  public void countBulk(long nowNanos) {
    Arrays.fill(bulkFlows, 0);
    for (int i = 0; i <= mask; i++) {
      if (taken[i] && bulk[i] && nowNanos - lastNanos[i] < WINDOW_NANOS) {
        bulkFlows[slots[i]]++;
      }
    }
  }

  /** Bulk flows of a slot at the last {@link #countBulk}. */
  public int bulkFlows(int slot) {
    return bulkFlows[slot];
  }

  /** Space for flows: it follows how many there are. */
  public int capacity() {
    return mask + 1;
  }

  private int place(int flowHash) {
    int at = (flowHash * 0x9E3779B9 >>> 7) & mask;
    while (taken[at] && hashes[at] != flowHash) {
      at = at + 1 & mask;
    }
    return at;
  }

  /** Leaves out flows that have paused for two windows; grows if those that live need it. */
  private void rebuild(long now) {
    int living = 0;
    for (int i = 0; i <= mask; i++) {
      if (taken[i] && now - lastNanos[i] < 2 * WINDOW_NANOS) {
        living++;
      }
    }
    int size = living * 4 > mask ? (mask + 1) * 2 : mask + 1;
    boolean[] wasTaken = taken;
    int[] oldHashes = hashes;
    long[] oldStarted = windowStarted;
    long[] oldLast = lastNanos;
    long[] oldWindow = windowBytes;
    long[] oldPrevious = previousBytes;
    boolean[] oldBulk = bulk;
    byte[] oldSlots = slots;
    mask = size - 1;
    used = living;
    taken = new boolean[size];
    hashes = new int[size];
    windowStarted = new long[size];
    lastNanos = new long[size];
    windowBytes = new long[size];
    previousBytes = new long[size];
    bulk = new boolean[size];
    slots = new byte[size];
    for (int i = 0; i < wasTaken.length; i++) {
      if (wasTaken[i] && now - oldLast[i] < 2 * WINDOW_NANOS) {
        int at = place(oldHashes[i]);
        taken[at] = true;
        hashes[at] = oldHashes[i];
        windowStarted[at] = oldStarted[i];
        lastNanos[at] = oldLast[i];
        windowBytes[at] = oldWindow[i];
        previousBytes[at] = oldPrevious[i];
        bulk[at] = oldBulk[i];
        slots[at] = oldSlots[i];
      }
    }
  }
}

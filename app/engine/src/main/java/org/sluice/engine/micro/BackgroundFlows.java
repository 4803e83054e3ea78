// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.micro;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.sluice.api.deadline.FlowKey;
import org.sluice.engine.collections.Slots;
import org.sluice.engine.law.MicroFlowParameters;

/**
 * The active background flows table (section III.C): flows that have sent more than bgt_size, until
 * they end or are idle. Of a full table no flow is driven out; those that find no space are
 * counted, and stay in the micro queue.
 */
final class BackgroundFlows {
  private static final int[] NONE = {};

  private final MicroFlowParameters parameters;
  private final Map<FlowKey, Integer> rows = new HashMap<>();
  private final Slots slots = new Slots();
  private FlowKey[] keys = new FlowKey[64];
  private int[][] feeders = new int[64][];
  private int[] owners = new int[64];
  private long[] seenNanos = new long[64];

  /** By feeder: how many background flows pass. */
  private int[] passing = new int[64];

  /** By feeder: how many owners of these there are. */
  private int[] senders = new int[64];

  /** By owner and feeder: how many of the owner's flows pass. */
  private final Map<Long, int[]> ofOwner = new HashMap<>();

  private long refused;

  BackgroundFlows(MicroFlowParameters parameters) {
    this.parameters = parameters;
  }

  /**
   * A background flow has been seen to send.
   *
   * @param owner whose all flows count as one sender, at least 0, or {@link
   *     MicroFlowControl#NOBODYS}; the same for all of the flow's life
   * @param path the feeders that it passes; kept, not to be changed
   * @return whether it is new in the table
   */
  boolean observe(FlowKey flow, int owner, int[] path, long nowNanos) {
    Integer known = rows.get(flow);
    if (known == null) {
      return insert(flow, owner, path, nowNanos);
    }
    seenNanos[known] = nowNanos;
    if (!Arrays.equals(feeders[known], path)) {
      count(known, -1);
      feeders[known] = path;
      count(known, 1);
    }
    return false;
  }

  private boolean insert(FlowKey flow, int owner, int[] path, long nowNanos) {
    if (rows.size() >= parameters.flowLimit()) {
      refused++;
      return false;
    }
    int row = slots.take();
    if (row == keys.length) {
      keys = Arrays.copyOf(keys, 2 * row);
      feeders = Arrays.copyOf(feeders, 2 * row);
      owners = Arrays.copyOf(owners, 2 * row);
      seenNanos = Arrays.copyOf(seenNanos, 2 * row);
    }
    rows.put(flow, row);
    keys[row] = flow;
    feeders[row] = path;
    owners[row] = owner;
    seenNanos[row] = nowNanos;
    count(row, 1);
    return true;
  }

  /** Forgets a flow; false if it was not known. */
  boolean remove(FlowKey flow) {
    Integer row = rows.remove(flow);
    if (row == null) {
      return false;
    }
    count(row, -1);
    keys[row] = null;
    feeders[row] = NONE;
    slots.giveBack(row);
    return true;
  }

  /** No flow passes a feeder any longer: its number goes to another. */
  void removeFeeder(int feeder) {
    for (int row = 0; row < slots.limit() && passing(feeder) > 0; row++) {
      if (keys[row] != null && contains(feeders[row], feeder)) {
        int[] left = Arrays.stream(feeders[row]).filter(other -> other != feeder).toArray();
        count(row, -1);
        feeders[row] = left;
        count(row, 1);
      }
    }
  }

  private static boolean contains(int[] path, int feeder) {
    for (int one : path) {
      if (one == feeder) {
        return true;
      }
    }
    return false;
  }

  /** Forgets all that have been idle for too long. */
  void removeIdle(long nowNanos, CapSink sink) {
    for (int row = 0; row < slots.limit(); row++) {
      FlowKey flow = keys[row];
      if (flow != null && nowNanos - seenNanos[row] >= parameters.idleNanos()) {
        remove(flow);
        sink.forgotten(flow);
      }
    }
  }

  /** How many background flows pass a feeder. */
  int passing(int feeder) {
    return feeder < passing.length ? passing[feeder] : 0;
  }

  /** How many senders the background flows have that pass a feeder. */
  int senders(int feeder) {
    return feeder < senders.length ? senders[feeder] : 0;
  }

  int size() {
    return rows.size();
  }

  /** How often a flow found no space. */
  long refused() {
    return refused;
  }

  /** A flow counts at its feeders, or does not any longer. */
  private void count(int row, int by) {
    for (int feeder : feeders[row]) {
      if (feeder >= passing.length) {
        int length = Math.max(feeder + 1, 2 * passing.length);
        passing = Arrays.copyOf(passing, length);
        senders = Arrays.copyOf(senders, length);
      }
      passing[feeder] += by;
      if (owners[row] == MicroFlowControl.NOBODYS || countOwner(owners[row], feeder, by)) {
        senders[feeder] += by;
      }
    }
  }

  /** Whether the owner has its first flow there by that, or none any longer. */
  private boolean countOwner(int owner, int feeder, int by) {
    long key = (long) owner << Integer.SIZE | feeder;
    int[] flows = ofOwner.computeIfAbsent(key, k -> new int[1]);
    flows[0] += by;
    if (flows[0] == 0) {
      ofOwner.remove(key);
    }
    return flows[0] == (by > 0 ? 1 : 0);
  }
}

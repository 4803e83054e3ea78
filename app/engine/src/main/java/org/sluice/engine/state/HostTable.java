// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.state;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.sluice.api.HostId;

/** Hosts by row number. Rows stay: hosts are few and come back. */
public final class HostTable {
  private final Map<HostId, Integer> rows = new HashMap<>();

  public HostId[] id = new HostId[64];

  /** Capacity of the NIC, bit/s; 0 if not known. */
  public long[] nicBitsPerSecond = new long[64];

  /** Sum of the weights of the endpoints that send now, millionths. */
  public long[] activeWeightMicros = new long[64];

  /** Engine time until which its agent's last report is recent, ns. */
  public long[] reportedUntil = new long[64];

  /** How many remembered pairs its reports began. */
  public int[] pairs = new int[64];

  /** How many pairs of its reports were not taken in, for there were too many. */
  public long[] refusedPairs = new long[64];

  /** Engine time until which that is not journaled again, ns. */
  public long[] refusalJournaledUntil = new long[64];

  HostTable() {
    Arrays.fill(refusalJournaledUntil, Long.MIN_VALUE);
    Arrays.fill(reportedUntil, Long.MIN_VALUE);
  }

  public int find(HostId host) {
    Integer row = rows.get(host);
    return row == null ? -1 : row;
  }

  public int findOrAdd(HostId host) {
    int row = find(host);
    if (row < 0) {
      row = rows.size();
      if (row == id.length) {
        id = Arrays.copyOf(id, 2 * row);
        nicBitsPerSecond = Arrays.copyOf(nicBitsPerSecond, 2 * row);
        activeWeightMicros = Arrays.copyOf(activeWeightMicros, 2 * row);
        reportedUntil = Arrays.copyOf(reportedUntil, 2 * row);
        Arrays.fill(reportedUntil, row, 2 * row, Long.MIN_VALUE);
        pairs = Arrays.copyOf(pairs, 2 * row);
        refusedPairs = Arrays.copyOf(refusedPairs, 2 * row);
        refusalJournaledUntil = Arrays.copyOf(refusalJournaledUntil, 2 * row);
        Arrays.fill(refusalJournaledUntil, row, 2 * row, Long.MIN_VALUE);
      }
      id[row] = host;
      rows.put(host, row);
    }
    return row;
  }

  public int size() {
    return rows.size();
  }
}

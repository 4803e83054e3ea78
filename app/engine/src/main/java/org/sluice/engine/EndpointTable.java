// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.link.EndpointPolicy;

/**
 * Endpoints by row number. Each endpoint weighs what its tenant's policy says, however many
 * siblings it has: like the papers, Sluice shares among senders, and a guarantee or ceiling is one
 * endpoint's too.
 */
final class EndpointTable {
  /** Weights are kept in millionths, so that sums of them never drift. */
  static final double MICROS = 1e6;

  private final Map<EndpointId, Integer> rows = new HashMap<>();
  private final Slots slots = new Slots();

  EndpointId[] id = new EndpointId[256];
  int[] host = new int[256];
  long[] weightMicros = new long[256];
  long[] guaranteeBitsPerSecond = new long[256];

  /** 0 is none. */
  long[] ceilingBitsPerSecond = new long[256];

  /** How many of its pairs are active. */
  int[] activePairs = new int[256];

  /** Head of the list of its remembered pairs, or -1. */
  int[] firstPair = new int[256];

  /** What it claims, granted or not. */
  Map<Integer, Set<IpAddress>> claims = new HashMap<>();

  int find(EndpointId endpoint) {
    Integer row = rows.get(endpoint);
    return row == null ? -1 : row;
  }

  int add(EndpointId endpoint, int hostRow) {
    int row = slots.take();
    if (row == id.length) {
      id = Arrays.copyOf(id, 2 * row);
      host = Arrays.copyOf(host, 2 * row);
      weightMicros = Arrays.copyOf(weightMicros, 2 * row);
      guaranteeBitsPerSecond = Arrays.copyOf(guaranteeBitsPerSecond, 2 * row);
      ceilingBitsPerSecond = Arrays.copyOf(ceilingBitsPerSecond, 2 * row);
      activePairs = Arrays.copyOf(activePairs, 2 * row);
      firstPair = Arrays.copyOf(firstPair, 2 * row);
    }
    id[row] = endpoint;
    host[row] = hostRow;
    activePairs[row] = 0;
    firstPair[row] = -1;
    claims.put(row, Set.of());
    rows.put(endpoint, row);
    return row;
  }

  void setPolicy(int row, EndpointPolicy policy) {
    weightMicros[row] = Math.max(1, Math.round(policy.weight() * MICROS));
    guaranteeBitsPerSecond[row] = policy.guaranteeBitsPerSecond();
    ceilingBitsPerSecond[row] = policy.ceilingBitsPerSecond();
  }

  boolean hasPolicy(int row, EndpointPolicy policy) {
    return weightMicros[row] == Math.max(1, Math.round(policy.weight() * MICROS))
        && guaranteeBitsPerSecond[row] == policy.guaranteeBitsPerSecond()
        && ceilingBitsPerSecond[row] == policy.ceilingBitsPerSecond();
  }

  /** Removes an endpoint without pairs. */
  void remove(int row) {
    rows.remove(id[row]);
    claims.remove(row);
    id[row] = null;
    slots.giveBack(row);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.state;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.sluice.api.TenantId;

/**
 * Tenants by row number, and what those are due that share as one. An endpoint of a tenant that
 * does not is due something by itself. Rows stay; tenants are few.
 */
public final class TenantTable {
  private static final int FIRST = 64;

  private final Map<TenantId, Integer> rows = new HashMap<>();

  public TenantId[] id = new TenantId[FIRST];

  /** Whether its endpoints share what it is due. */
  public boolean[] isShared = new boolean[FIRST];

  public double[] weight = new double[FIRST];

  /** Of all its endpoints together (hose model), bit/s; 0 is none. */
  public long[] guaranteeBitsPerSecond = new long[FIRST];

  /** Of all its endpoints together, bit/s; 0 is none. */
  public long[] ceilingBitsPerSecond = new long[FIRST];

  /** How many active pairs its endpoints send. */
  public int[] activePairs = new int[FIRST];

  /** How many active pairs are sent to its endpoints. */
  public int[] activeSenders = new int[FIRST];

  /** What those of its endpoints weigh that have a pair that wants more than its weight's part. */
  public long[] wantingWeightMicros = new long[FIRST];

  /** How many such pairs are sent to its endpoints. */
  public int[] wantingSenders = new int[FIRST];

  /** What its endpoints' pairs get through, all of them together, bit/s. */
  public long[] deliveredBitsPerSecond = new long[FIRST];

  /** Whether something that one of its endpoints sends has begun to wait. */
  public boolean[] hasBegunToWait = new boolean[FIRST];

  /** Grows when what a tenant is due changes. */
  public int version;

  /** How many tenants that share have a guarantee. */
  public int guaranteed;

  /** All rows are below. */
  public int size() {
    return rows.size();
  }

  public int find(TenantId tenant) {
    Integer row = rows.get(tenant);
    return row == null ? -1 : row;
  }

  public int findOrAdd(TenantId tenant) {
    int row = find(tenant);
    if (row < 0) {
      row = rows.size();
      if (row == id.length) {
        grow();
      }
      id[row] = tenant;
      rows.put(tenant, row);
    }
    return row;
  }

  /** Whether a tenant's endpoints share just this. */
  public boolean shares(int row, double value, long guarantee, long ceiling) {
    return isShared[row]
        && weight[row] == value
        && guaranteeBitsPerSecond[row] == guarantee
        && ceilingBitsPerSecond[row] == ceiling;
  }

  /** Has a tenant's endpoints share what it is due. */
  public void share(int row, double value, long guarantee, long ceiling) {
    version++;
    guaranteed += (guarantee > 0 ? 1 : 0) - (guaranteeBitsPerSecond[row] > 0 ? 1 : 0);
    isShared[row] = true;
    weight[row] = value;
    guaranteeBitsPerSecond[row] = guarantee;
    ceilingBitsPerSecond[row] = ceiling;
  }

  /** Has each of a tenant's endpoints be due something by itself. */
  public void divide(int row) {
    share(row, 0, 0, 0);
    isShared[row] = false;
  }

  private void grow() {
    int size = 2 * id.length;
    id = Arrays.copyOf(id, size);
    isShared = Arrays.copyOf(isShared, size);
    weight = Arrays.copyOf(weight, size);
    guaranteeBitsPerSecond = Arrays.copyOf(guaranteeBitsPerSecond, size);
    ceilingBitsPerSecond = Arrays.copyOf(ceilingBitsPerSecond, size);
    activePairs = Arrays.copyOf(activePairs, size);
    activeSenders = Arrays.copyOf(activeSenders, size);
    wantingWeightMicros = Arrays.copyOf(wantingWeightMicros, size);
    wantingSenders = Arrays.copyOf(wantingSenders, size);
    deliveredBitsPerSecond = Arrays.copyOf(deliveredBitsPerSecond, size);
    hasBegunToWait = Arrays.copyOf(hasBegunToWait, size);
  }
}

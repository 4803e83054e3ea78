// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.state;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.link.EndpointProfile;
import org.sluice.engine.collections.Slots;

/**
 * Endpoints by row number. Where its tenant shares ({@link TenantTable#isShared}) an endpoint's
 * weight is against its siblings; elsewhere, as in the papers, against all endpoints. A guarantee
 * or ceiling here is the endpoint's own.
 */
public final class EndpointTable {
  /** Weights are kept in millionths, so that sums of them never drift. */
  public static final double MICROS = 1e6;

  private final TenantTable tenants;
  private final Map<EndpointId, Integer> rows = new HashMap<>();
  private final Slots slots = new Slots();

  public EndpointId[] id = new EndpointId[256];
  public int[] host = new int[256];

  /** Row in {@link TenantTable}. */
  public int[] tenant = new int[256];

  public long[] weightMicros = new long[256];
  public long[] guaranteeBitsPerSecond = new long[256];

  /** 0 is none. */
  public long[] ceilingBitsPerSecond = new long[256];

  /** Its part of its tenant's ceiling, as its host was sent, bit/s; 0 is none. */
  public long[] ceilingPartBitsPerSecond = new long[256];

  /** What its active pairs get through, all of them together, bit/s. */
  public long[] deliveredBitsPerSecond = new long[256];

  /** What its pairs got through. */
  public final PassedBytes passed = new PassedBytes();

  /** What it has sent to others of its host since the last evaluation, bytes. */
  public long[] localBytes = new long[256];

  /** Whether something that it sends has begun to wait since the last evaluation. */
  public boolean[] hasBegunToWait = new boolean[256];

  /** Grows with every endpoint that comes, goes, or has another profile. */
  public int version;

  /** How many of its pairs are active. */
  public int[] activePairs = new int[256];

  /** Those of them that want more than their weight's part. */
  public int[] wantingPairs = new int[256];

  /** How many of its remembered pairs its own host's reports began. */
  public int[] reportedPairs = new int[256];

  /** Head of the list of its remembered pairs, or -1. */
  public int[] firstPair = new int[256];

  /** What it claims, granted or not. */
  public Map<Integer, Set<IpAddress>> claims = new HashMap<>();

  EndpointTable(TenantTable tenants) {
    this.tenants = tenants;
  }

  public int find(EndpointId endpoint) {
    Integer row = rows.get(endpoint);
    return row == null ? -1 : row;
  }

  public int add(EndpointId endpoint, int hostRow) {
    int row = slots.take();
    if (row == id.length) {
      id = Arrays.copyOf(id, 2 * row);
      host = Arrays.copyOf(host, 2 * row);
      tenant = Arrays.copyOf(tenant, 2 * row);
      weightMicros = Arrays.copyOf(weightMicros, 2 * row);
      guaranteeBitsPerSecond = Arrays.copyOf(guaranteeBitsPerSecond, 2 * row);
      ceilingBitsPerSecond = Arrays.copyOf(ceilingBitsPerSecond, 2 * row);
      ceilingPartBitsPerSecond = Arrays.copyOf(ceilingPartBitsPerSecond, 2 * row);
      deliveredBitsPerSecond = Arrays.copyOf(deliveredBitsPerSecond, 2 * row);
      localBytes = Arrays.copyOf(localBytes, 2 * row);
      hasBegunToWait = Arrays.copyOf(hasBegunToWait, 2 * row);
      activePairs = Arrays.copyOf(activePairs, 2 * row);
      wantingPairs = Arrays.copyOf(wantingPairs, 2 * row);
      reportedPairs = Arrays.copyOf(reportedPairs, 2 * row);
      firstPair = Arrays.copyOf(firstPair, 2 * row);
    }
    id[row] = endpoint;
    host[row] = hostRow;
    ceilingPartBitsPerSecond[row] = 0;
    deliveredBitsPerSecond[row] = 0;
    passed.reset(row);
    localBytes[row] = 0;
    hasBegunToWait[row] = false;
    activePairs[row] = 0;
    wantingPairs[row] = 0;
    reportedPairs[row] = 0;
    firstPair[row] = -1;
    claims.put(row, Set.of());
    rows.put(endpoint, row);
    return row;
  }

  public void setProfile(int row, EndpointProfile profile) {
    version++;
    tenant[row] = tenants.findOrAdd(profile.tenant());
    weightMicros[row] = Math.max(1, Math.round(profile.weight() * MICROS));
    guaranteeBitsPerSecond[row] = profile.guaranteeBitsPerSecond();
    ceilingBitsPerSecond[row] = profile.ceilingBitsPerSecond();
  }

  public boolean hasProfile(int row, EndpointProfile profile) {
    return tenants.id[tenant[row]].equals(profile.tenant())
        && weightMicros[row] == Math.max(1, Math.round(profile.weight() * MICROS))
        && guaranteeBitsPerSecond[row] == profile.guaranteeBitsPerSecond()
        && ceilingBitsPerSecond[row] == profile.ceilingBitsPerSecond();
  }

  /** Calls back with every endpoint of a tenant. */
  public void forEachOf(int tenantRow, IntConsumer action) {
    for (int row : rows.values()) {
      if (tenant[row] == tenantRow) {
        action.accept(row);
      }
    }
  }

  /** All rows are below; {@link #id} is null in free ones. */
  public int limit() {
    return slots.limit();
  }

  /** Removes an endpoint without pairs. */
  public void remove(int row) {
    version++;
    rows.remove(id[row]);
    claims.remove(row);
    id[row] = null;
    slots.giveBack(row);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.state;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus.CapacitySource;
import org.sluice.engine.collections.RowSet;

/** Ports by row number: capacities, and what crosses them now. Rows stay; ports are few. */
public final class PortTable {
  private static final int FIRST = 256;

  private final Map<PortId, Integer> rows = new HashMap<>();

  /**
   * Those on which something may be reported: a path crosses them or did, a link leads on from
   * them, or an agent has reported their queue. Nothing ever happens to the others, so no tick
   * evaluates them.
   */
  public final RowSet inUse = new RowSet();

  public PortId[] id = new PortId[FIRST];

  /**
   * Whether it is a receive port: its host alone counts its marks, and reports them as its own, so
   * that they are not among those of paths.
   */
  public boolean[] isReceiver = new boolean[FIRST];

  /** Bit/s; 0 if not known, then nothing is decided about the port. */
  public long[] capacityBitsPerSecond = new long[FIRST];

  public CapacitySource[] capacitySource = new CapacitySource[FIRST];

  /**
   * Load over capacity when it was last measured; -1 where the capacity is not known, and for a
   * receive port.
   */
  public double[] relativeLoad = new double[FIRST];

  /** Sum of what its pairs get through, bit/s, each smoothed. */
  public long[] loadBitsPerSecond = new long[FIRST];

  public final PassedBytes passed = new PassedBytes();

  /** Packets in this control period, 65536ths. */
  public long[] packets16 = new long[FIRST];

  /** Marks attributed in this control period. */
  public long[] marks = new long[FIRST];

  /** Marks in this control period of paths whose marks go to it, as hosts counted them. */
  public long[] pathMarks = new long[FIRST];

  /** Whether some of these came over an estimated path. */
  public boolean[] estimatedPathMarks = new boolean[FIRST];

  /**
   * CE packets since the last tick that hosts counted on pairs of which it is the last hop of a
   * switch.
   */
  public long[] lastHopMarks = new long[FIRST];

  /** The port's marks over its packets, as its source of marks reports. */
  public double[] ceShare = new double[FIRST];

  /** u_p as the port was decided about last; 0 unless it is under control by unit shares. */
  public double[] unitShareBitsPerSecond = new double[FIRST];

  /** Grows when a port comes under control by unit shares, or leaves it. */
  public int controlVersion;

  /** Sum of the weights of its active endpoints, millionths. */
  public long[] activeWeightMicros = new long[FIRST];

  public int[] activeEndpoints = new int[FIRST];

  /** Of the active endpoints, how many have a guarantee. */
  public int[] guaranteedEndpoints = new int[FIRST];

  /** How many known paths come to it from another switch. */
  public int[] pathsFromElsewhere = new int[FIRST];

  /** Head of the list of its crossings, or -1. */
  public int[] firstCrossing = new int[FIRST];

  /** Grows when its active endpoints or one of their profiles, or its capacity, change. */
  public int[] activityVersion = new int[FIRST];

  /** Grows when the endpoints or destinations remembered for it, or their floors, change. */
  public int[] membershipVersion = new int[FIRST];

  /** Grows when pairs, or their paths, come to the port or leave it; active or not. */
  public int[] entriesVersion = new int[FIRST];

  /** Grows when one of its pairs becomes active or idle. */
  public int[] pairsVersion = new int[FIRST];

  /** Whether this period's marks came over an estimated path. */
  public boolean[] estimatedMarks = new boolean[FIRST];

  /** Sets u_p; 0 takes the port out of control. */
  public void setUnitShare(int row, double bitsPerSecond) {
    if (bitsPerSecond > 0 != unitShareBitsPerSecond[row] > 0) {
      controlVersion++;
    }
    unitShareBitsPerSecond[row] = bitsPerSecond;
  }

  public int find(PortId port) {
    Integer row = rows.get(port);
    return row == null ? -1 : row;
  }

  public int findOrAdd(PortId port) {
    int row = find(port);
    if (row < 0) {
      row = rows.size();
      if (row == id.length) {
        grow();
      }
      id[row] = port;
      isReceiver[row] = port.isReceiver();
      firstCrossing[row] = -1;
      rows.put(port, row);
    }
    return row;
  }

  public int size() {
    return rows.size();
  }

  public void setCapacity(int row, long bitsPerSecond, CapacitySource source) {
    if (capacityBitsPerSecond[row] != bitsPerSecond) {
      capacityBitsPerSecond[row] = bitsPerSecond;
      activityVersion[row]++;
    }
    capacitySource[row] = source;
  }

  /** Brings all relative loads up to date, once for the many paths that read them. */
  public void measure() {
    for (int p : inUse.rows()) {
      long capacity = capacityBitsPerSecond[p];
      boolean isKnown = capacity > 0 && !isReceiver[p];
      relativeLoad[p] = isKnown ? (double) loadBitsPerSecond[p] / capacity : -1;
    }
  }

  private void grow() {
    int size = 2 * id.length;
    id = Arrays.copyOf(id, size);
    isReceiver = Arrays.copyOf(isReceiver, size);
    capacityBitsPerSecond = Arrays.copyOf(capacityBitsPerSecond, size);
    capacitySource = Arrays.copyOf(capacitySource, size);
    relativeLoad = Arrays.copyOf(relativeLoad, size);
    loadBitsPerSecond = Arrays.copyOf(loadBitsPerSecond, size);
    packets16 = Arrays.copyOf(packets16, size);
    marks = Arrays.copyOf(marks, size);
    pathMarks = Arrays.copyOf(pathMarks, size);
    estimatedPathMarks = Arrays.copyOf(estimatedPathMarks, size);
    lastHopMarks = Arrays.copyOf(lastHopMarks, size);
    ceShare = Arrays.copyOf(ceShare, size);
    unitShareBitsPerSecond = Arrays.copyOf(unitShareBitsPerSecond, size);
    activeWeightMicros = Arrays.copyOf(activeWeightMicros, size);
    activeEndpoints = Arrays.copyOf(activeEndpoints, size);
    guaranteedEndpoints = Arrays.copyOf(guaranteedEndpoints, size);
    pathsFromElsewhere = Arrays.copyOf(pathsFromElsewhere, size);
    firstCrossing = Arrays.copyOf(firstCrossing, size);
    activityVersion = Arrays.copyOf(activityVersion, size);
    membershipVersion = Arrays.copyOf(membershipVersion, size);
    entriesVersion = Arrays.copyOf(entriesVersion, size);
    pairsVersion = Arrays.copyOf(pairsVersion, size);
    estimatedMarks = Arrays.copyOf(estimatedMarks, size);
  }
}

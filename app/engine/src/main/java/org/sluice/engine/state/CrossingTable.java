// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.state;

import java.util.Arrays;
import org.sluice.api.link.ControlledEndpoint;
import org.sluice.engine.collections.LongIntMap;
import org.sluice.engine.collections.Slots;

/**
 * Which endpoints cross which ports, and with which of their pairs: a crossing per (endpoint,
 * port), an entry per pair of a crossing. The rows are chained into lists, so that pairs come and
 * go without allocation.
 */
public final class CrossingTable {
  private static final int FIRST = 1024;

  private static final int STRIDE = 8;

  private static final int PART = 0;
  private static final int WANTED = 1;
  private static final int DEMAND = 2;
  private static final int PAIR_LEVEL = 3;
  private static final int WEIGHT = 4;
  private static final int FLOOR = 5;
  private static final int USED_AT = 6;
  private static final int PAIR_PART = 7;

  /** In {@link #usedAt}: nobody has evaluated it since it became active. */
  public static final long NOT_LOOKED_AT = 0;

  private final LongIntMap rows = new LongIntMap();
  private final Slots slots = new Slots();
  private final Slots entrySlots = new Slots();
  private final PortTable ports;

  public int[] endpoint = new int[FIRST];
  public int[] port = new int[FIRST];

  /** How many of its pairs are active. */
  public int[] activePairs = new int[FIRST];

  /** Head of the list of its entries. */
  public int[] firstEntry = new int[FIRST];

  /** Whether its endpoint takes more than its weight gives it there. */
  public boolean[] needsFloor = new boolean[FIRST];

  /** What it sent through the port when a trial of the port began, bit/s; 0: it is not tried. */
  public double[] triedBitsPerSecond = new double[FIRST];

  /** Neighbours in the list of the port's crossings, or -1. */
  public int[] nextOfPort = new int[FIRST];

  private int[] previousOfPort = new int[FIRST];

  /**
   * What is published to hosts about it; null when its destinations or its floor have changed
   * since.
   */
  public ControlledEndpoint[] published = new ControlledEndpoint[FIRST];

  /** What is evaluated each time that shares are computed lies together, in a cache line or two. */
  private long[] hot = new long[FIRST * STRIDE];

  public int[] entryPair = new int[FIRST];
  public int[] entryCrossing = new int[FIRST];

  /** Fraction of the pair's traffic that crosses the port, 65536ths. */
  public int[] entryFraction16 = new int[FIRST];

  public int[] nextOfCrossing = new int[FIRST];
  private int[] previousOfCrossing = new int[FIRST];

  /** Next entry of the same pair, or -1. */
  public int[] nextOfPair = new int[FIRST];

  CrossingTable(PortTable ports) {
    this.ports = ports;
  }

  public int size() {
    return slots.used();
  }

  /**
   * Adds an entry: the endpoint's pair crosses the port.
   *
   * @param nextEntryOfPair the pair's former first entry, or -1
   * @return the pair's new first entry
   */
  public int addEntry(int endpointRow, int portRow, int pair, int fraction16, int nextEntryOfPair) {
    long key = key(endpointRow, portRow);
    int crossing = rows.get(key);
    if (crossing == LongIntMap.ABSENT) {
      crossing = addCrossing(endpointRow, portRow);
      rows.put(key, crossing);
    }
    int entry = entrySlots.take();
    if (entry == entryPair.length) {
      growEntries();
    }
    entryPair[entry] = pair;
    entryCrossing[entry] = crossing;
    entryFraction16[entry] = fraction16;
    nextOfPair[entry] = nextEntryOfPair;
    int head = firstEntry[crossing];
    nextOfCrossing[entry] = head;
    previousOfCrossing[entry] = -1;
    if (head >= 0) {
      previousOfCrossing[head] = entry;
    }
    firstEntry[crossing] = entry;
    entriesChanged(crossing);
    return entry;
  }

  /** Removes an entry of an inactive pair, and its crossing with the last one. */
  public void removeEntry(int entry) {
    int crossing = entryCrossing[entry];
    int previous = previousOfCrossing[entry];
    int next = nextOfCrossing[entry];
    if (previous >= 0) {
      nextOfCrossing[previous] = next;
    } else {
      firstEntry[crossing] = next;
    }
    if (next >= 0) {
      previousOfCrossing[next] = previous;
    }
    entrySlots.giveBack(entry);
    entriesChanged(crossing);
    if (firstEntry[crossing] < 0) {
      removeCrossing(crossing);
    }
  }

  /** What its endpoint may send through its port, bit/s; 0 is not known. */
  public double partBitsPerSecond(int crossing) {
    return get(crossing, PART);
  }

  public void setPartBitsPerSecond(int crossing, double value) {
    set(crossing, PART, value);
  }

  /** What it wants of that, as far as other ports leave it, bit/s. */
  public double wantedBitsPerSecond(int crossing) {
    return get(crossing, WANTED);
  }

  public void setWantedBitsPerSecond(int crossing, double value) {
    set(crossing, WANTED, value);
  }

  /** What it demands of that ({@code law.Demand}), bit/s. */
  public double demandBitsPerSecond(int crossing) {
    return get(crossing, DEMAND);
  }

  public void setDemandBitsPerSecond(int crossing, double value) {
    set(crossing, DEMAND, value);
  }

  /** What each of its endpoint's pairs that wants more may send through its port, bit/s. */
  public double pairLevel(int crossing) {
    return get(crossing, PAIR_LEVEL);
  }

  public void setPairLevel(int crossing, double value) {
    set(crossing, PAIR_LEVEL, value);
  }

  /** What part of what its endpoint may send there each such pair has, as it is published. */
  public double pairPart(int crossing) {
    return get(crossing, PAIR_PART);
  }

  /** Changes what is published of that to the crossing's host. */
  public void publishPairPart(int crossing, double value) {
    set(crossing, PAIR_PART, value);
    membershipChanged(crossing);
  }

  /** Engine time when it was last seen to get most of its part, or for the first time, ns. */
  public long usedAt(int crossing) {
    return hot[crossing * STRIDE + USED_AT];
  }

  public void setUsedAt(int crossing, long value) {
    hot[crossing * STRIDE + USED_AT] = value;
  }

  /** The floor that is published to its host, bit/s; 0 is none. */
  public long floorBitsPerSecond(int crossing) {
    return hot[crossing * STRIDE + FLOOR];
  }

  /** The weight that is published to its host, against all at the port; 0: its profile's. */
  public double weight(int crossing) {
    return get(crossing, WEIGHT);
  }

  /** Changes the floor that is published to the crossing's host; 0 is none. */
  public void publishFloor(int crossing, long bitsPerSecond) {
    hot[crossing * STRIDE + FLOOR] = bitsPerSecond;
    membershipChanged(crossing);
  }

  /** Changes the weight that is published to the crossing's host; 0: its profile's. */
  public void publishWeight(int crossing, double value) {
    set(crossing, WEIGHT, value);
    membershipChanged(crossing);
  }

  private double get(int crossing, int field) {
    return Double.longBitsToDouble(hot[crossing * STRIDE + field]);
  }

  private void set(int crossing, int field, double value) {
    hot[crossing * STRIDE + field] = Double.doubleToRawLongBits(value);
  }

  private void entriesChanged(int crossing) {
    ports.entriesVersion[port[crossing]]++;
    membershipChanged(crossing);
  }

  private void membershipChanged(int crossing) {
    published[crossing] = null;
    ports.membershipVersion[port[crossing]]++;
  }

  private int addCrossing(int endpointRow, int portRow) {
    int row = slots.take();
    if (row == endpoint.length) {
      grow();
    }
    endpoint[row] = endpointRow;
    port[row] = portRow;
    activePairs[row] = 0;
    Arrays.fill(hot, row * STRIDE, (row + 1) * STRIDE, 0);
    set(row, WANTED, Double.POSITIVE_INFINITY);
    set(row, DEMAND, Double.POSITIVE_INFINITY);
    set(row, PAIR_LEVEL, Double.POSITIVE_INFINITY);
    set(row, PAIR_PART, 1);
    firstEntry[row] = -1;
    needsFloor[row] = false;
    triedBitsPerSecond[row] = 0;
    int head = ports.firstCrossing[portRow];
    nextOfPort[row] = head;
    previousOfPort[row] = -1;
    if (head >= 0) {
      previousOfPort[head] = row;
    }
    ports.firstCrossing[portRow] = row;
    return row;
  }

  private void removeCrossing(int row) {
    int previous = previousOfPort[row];
    int next = nextOfPort[row];
    if (previous >= 0) {
      nextOfPort[previous] = next;
    } else {
      ports.firstCrossing[port[row]] = next;
    }
    if (next >= 0) {
      previousOfPort[next] = previous;
    }
    rows.remove(key(endpoint[row], port[row]));
    slots.giveBack(row);
  }

  private static long key(int endpointRow, int portRow) {
    return ((long) endpointRow << 32) | portRow;
  }

  private void grow() {
    int size = 2 * endpoint.length;
    endpoint = Arrays.copyOf(endpoint, size);
    port = Arrays.copyOf(port, size);
    activePairs = Arrays.copyOf(activePairs, size);
    firstEntry = Arrays.copyOf(firstEntry, size);
    needsFloor = Arrays.copyOf(needsFloor, size);
    triedBitsPerSecond = Arrays.copyOf(triedBitsPerSecond, size);
    nextOfPort = Arrays.copyOf(nextOfPort, size);
    previousOfPort = Arrays.copyOf(previousOfPort, size);
    published = Arrays.copyOf(published, size);
    hot = Arrays.copyOf(hot, size * STRIDE);
  }

  private void growEntries() {
    int size = 2 * entryPair.length;
    entryPair = Arrays.copyOf(entryPair, size);
    entryCrossing = Arrays.copyOf(entryCrossing, size);
    entryFraction16 = Arrays.copyOf(entryFraction16, size);
    nextOfCrossing = Arrays.copyOf(nextOfCrossing, size);
    previousOfCrossing = Arrays.copyOf(previousOfCrossing, size);
    nextOfPair = Arrays.copyOf(nextOfPair, size);
  }
}

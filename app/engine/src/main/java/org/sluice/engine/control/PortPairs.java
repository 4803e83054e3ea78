// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import java.util.Arrays;
import org.sluice.engine.state.CrossingTable;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.PathTable;

/**
 * The pairs remembered for a port, side by side and endpoint by endpoint, and the other ports that
 * each crosses. The tables chain them up, and whoever follows the chains waits for memory at each
 * step; so they are gathered anew only when pairs or their paths have changed. Which of them are
 * active is looked up again when one begins or ends.
 */
final class PortPairs {
  private final int port;
  private int entriesVersion = -1;
  private int pairsVersion = -1;
  private int size;

  // By crossing of the port, in the order of the port's list:
  private int[] crossing = new int[64];
  private int[] endpoint = new int[64];
  private boolean[] hasActive = new boolean[64];
  private double[] meanFraction = new double[64];
  private int[] firstEntry = new int[65];

  // By entry of a crossing, crossing by crossing:
  private int entries;
  private int[] pair = new int[64];
  private int[] destination = new int[64];
  private double[] fraction = new double[64];
  private boolean[] active = new boolean[64];
  private int[] firstOther = new int[65];

  // By crossing of another port that an entry's pair may cross, entry by entry:
  private int others;
  private int[] otherCrossing = new int[192];
  private int[] otherPort = new int[192];

  PortPairs(int port) {
    this.port = port;
  }

  /** Follows the tables. */
  void update(EngineState state) {
    boolean changed = entriesVersion != state.ports.entriesVersion[port];
    if (changed) {
      entriesVersion = state.ports.entriesVersion[port];
      gather(state);
    }
    if (changed || pairsVersion != state.ports.pairsVersion[port]) {
      pairsVersion = state.ports.pairsVersion[port];
      findActive(state);
    }
  }

  private void findActive(EngineState state) {
    for (int e = 0; e < entries; e++) {
      active[e] = state.pairs.isActive(pair[e]);
    }
    for (int i = 0; i < size; i++) {
      int count = 0;
      double sum = 0;
      for (int e = firstEntry[i]; e < firstEntry[i + 1]; e++) {
        if (active[e]) {
          count++;
          sum += fraction[e];
        }
      }
      hasActive[i] = count > 0;
      meanFraction[i] = sum / count;
    }
  }

  private void gather(EngineState state) {
    CrossingTable crossings = state.crossings;
    size = 0;
    entries = 0;
    others = 0;
    for (int c = state.ports.firstCrossing[port]; c >= 0; c = crossings.nextOfPort[c]) {
      if (size == crossing.length) {
        crossing = Arrays.copyOf(crossing, 2 * size);
        endpoint = Arrays.copyOf(endpoint, 2 * size);
        hasActive = new boolean[2 * size];
        meanFraction = new double[2 * size];
        firstEntry = Arrays.copyOf(firstEntry, 2 * size + 1);
      }
      crossing[size] = c;
      endpoint[size] = crossings.endpoint[c];
      firstEntry[size] = entries;
      for (int e = crossings.firstEntry[c]; e >= 0; e = crossings.nextOfCrossing[e]) {
        add(state, e);
      }
      size++;
    }
    firstEntry[size] = entries;
    firstOther[entries] = others;
  }

  private void add(EngineState state, int entry) {
    if (entries == pair.length) {
      int length = 2 * entries;
      pair = Arrays.copyOf(pair, length);
      destination = Arrays.copyOf(destination, length);
      fraction = Arrays.copyOf(fraction, length);
      active = new boolean[length];
      firstOther = Arrays.copyOf(firstOther, length + 1);
    }
    CrossingTable crossings = state.crossings;
    int row = crossings.entryPair[entry];
    pair[entries] = row;
    destination[entries] = state.pairs.destinationAddress[row];
    fraction[entries] = (double) crossings.entryFraction16[entry] / PathTable.WHOLE;
    firstOther[entries] = others;
    for (int e = state.pairs.firstEntry[row]; e >= 0; e = crossings.nextOfPair[e]) {
      int other = crossings.entryCrossing[e];
      if (crossings.port[other] != port) {
        addOther(other, crossings.port[other]);
      }
    }
    entries++;
  }

  private void addOther(int other, int portOfOther) {
    if (others == otherCrossing.length) {
      otherCrossing = Arrays.copyOf(otherCrossing, 2 * others);
      otherPort = Arrays.copyOf(otherPort, 2 * others);
    }
    otherCrossing[others] = other;
    otherPort[others] = portOfOther;
    others++;
  }

  /** How many endpoints have a pair through the port, active or not. */
  int size() {
    return size;
  }

  /** Of an endpoint, in the order of the port's list. */
  int crossing(int index) {
    return crossing[index];
  }

  int endpoint(int index) {
    return endpoint[index];
  }

  /** Whether an endpoint has an active pair through the port. */
  boolean hasActive(int index) {
    return hasActive[index];
  }

  /**
   * What part of what an endpoint's active pairs send is expected to cross the port: their mean.
   */
  double meanFraction(int index) {
    return meanFraction[index];
  }

  /** The first entry of an endpoint; that of the one after the last ends the entries. */
  int firstEntry(int index) {
    return firstEntry[index];
  }

  /** How many pairs cross the port; one over several paths may count more than once. */
  int entries() {
    return entries;
  }

  int pair(int entry) {
    return pair[entry];
  }

  /** The address that an entry's pair sends to. */
  int destination(int entry) {
    return destination[entry];
  }

  /**
   * By entry: what part of its pair's traffic is expected to cross the port. Only the first {@link
   * #entries} count, and are not to be changed.
   */
  double[] fractions() {
    return fraction;
  }

  boolean isActive(int entry) {
    return active[entry];
  }

  /** The first of an entry's others; that of the one after the last ends the others. */
  int firstOther(int entry) {
    return firstOther[entry];
  }

  int otherCrossing(int other) {
    return otherCrossing[other];
  }

  int otherPort(int other) {
    return otherPort[other];
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import org.sluice.engine.collections.IntList;
import org.sluice.engine.state.CrossingTable;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.PathTable;

/**
 * What other ports under control leave to an endpoint at a port. An endpoint all of whose active
 * pairs through a port cross others under control, too, sends no more than w u at those, so the
 * rest of the port is for others: with this as a demand, the unit shares of all ports come to the
 * weighted max-min shares, the port with the least first. (That one's share does not depend on
 * others', which are greater; that of the next on its alone, and so on: Bertsekas and Gallager,
 * section 6.5.2.)
 */
final class ElsewhereLimits {
  private final EngineState state;

  /** Crossings of other ports that bound some pair of the crossing that is looked at. */
  private final IntList bounding = new IntList();

  ElsewhereLimits(EngineState state) {
    this.state = state;
  }

  /** The most that a crossing's endpoint can send through its port, bit/s; infinite: no bound. */
  double most(int crossing) {
    CrossingTable crossings = state.crossings;
    bounding.clear();
    for (int e = crossings.firstEntry[crossing]; e >= 0; e = crossings.nextOfCrossing[e]) {
      int pair = crossings.entryPair[e];
      if (state.pairs.isActive(pair)) {
        int bound = boundingCrossing(pair, crossings.port[crossing]);
        if (bound < 0) {
          return Double.POSITIVE_INFINITY;
        }
        if (!bounding.contains(bound)) {
          bounding.add(bound);
        }
      }
    }
    double sum = 0;
    for (int i = 0; i < bounding.size(); i++) {
      sum += crossings.partBitsPerSecond[bounding.get(i)];
    }
    return sum;
  }

  /** The crossing of the least part, of those ports that all of a pair crosses; -1: none. */
  private int boundingCrossing(int pair, int beside) {
    CrossingTable crossings = state.crossings;
    int found = -1;
    for (int e = state.pairs.firstEntry[pair]; e >= 0; e = crossings.nextOfPair[e]) {
      int other = crossings.entryCrossing[e];
      double part = crossings.partBitsPerSecond[other];
      boolean bounds =
          crossings.port[other] != beside
              && state.ports.unitShareBitsPerSecond[crossings.port[other]] > 0
              && part > 0
              && crossings.entryFraction16[e] == PathTable.WHOLE;
      if (bounds && (found < 0 || part < crossings.partBitsPerSecond[found])) {
        found = other;
      }
    }
    return found;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import org.sluice.engine.collections.IntList;
import org.sluice.engine.state.CrossingTable;
import org.sluice.engine.state.EngineState;

/**
 * What other ports under control leave to an endpoint at a port. An endpoint all of whose active
 * pairs through a port cross others under control, too, sends no more than w u at those, so the
 * rest of the port is for others: with this as a demand, the unit shares of all ports come to the
 * weighted max-min shares, the port with the least first. (That one's share does not depend on
 * others', which are greater; that of the next on its alone, and so on: Bertsekas and Gallager,
 * section 6.5.2.)
 */
final class OtherPortLimits {
  private final EngineState state;

  /** Crossings of other ports that bound some pair of the crossing that is evaluated. */
  private final IntList bounding = new IntList();

  OtherPortLimits(EngineState state) {
    this.state = state;
  }

  /**
   * The most that an endpoint can send through a port, bit/s; infinite: no bound.
   *
   * @param pairs of the port
   * @param index of the endpoint among them
   */
  double most(PortPairs pairs, int index) {
    bounding.clear();
    for (int e = pairs.firstEntry(index); e < pairs.firstEntry(index + 1); e++) {
      if (pairs.isActive(e)) {
        int bound = boundingCrossing(pairs, e);
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
      sum += state.crossings.partBitsPerSecond(bounding.get(i));
    }
    return sum;
  }

  /** The crossing of the least part, of those ports that all of a pair crosses; -1: none. */
  private int boundingCrossing(PortPairs pairs, int entry) {
    CrossingTable crossings = state.crossings;
    int found = -1;
    for (int o = pairs.firstOther(entry); o < pairs.firstOther(entry + 1); o++) {
      if (state.ports.unitShareBitsPerSecond[pairs.otherPort(o)] > 0) {
        int other = pairs.otherCrossing(o);
        double part = crossings.partBitsPerSecond(other);
        if (part > 0 && (found < 0 || part < crossings.partBitsPerSecond(found))) {
          found = other;
        }
      }
    }
    return found;
  }
}

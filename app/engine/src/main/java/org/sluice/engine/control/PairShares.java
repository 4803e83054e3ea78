// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import java.util.Arrays;
import org.sluice.engine.state.CrossingTable;
import org.sluice.engine.state.EngineState;

/**
 * How an endpoint's pairs share what it is due at a port: equally, as far as each wants it. A pair
 * wants no more than other ports under control, and its own host, leave to it; by this the shares
 * of all ports come to weighted max-min, the port with the least first. (That one's share does not
 * depend on others', which are greater; that of the next on its alone, and so on: Bertsekas and
 * Gallager, section 6.5.2.)
 */
final class PairShares {
  /** The level is never under what each has by an equal division; less than 1 for rounding. */
  private static final double LEAST_LEVEL = 1 - 1e-9;

  private static final double GOT = -1;

  private final EngineState state;

  /** By entry of the port: what its pair wants, bit/s; below 0: it is idle, or has got it. */
  private double[] wants = new double[64];

  // Of an endpoint's pairs, wherever they go:
  private double[] heldWants = {};
  private double[] heldFractions = {};

  PairShares(EngineState state) {
    this.state = state;
  }

  /**
   * What an endpoint wants of a port, as far as others leave it, bit/s; infinite: all there is.
   *
   * @param pairs of the port
   * @param index of the endpoint among them
   */
  double wanted(PortPairs pairs, int index) {
    if (wants.length < pairs.entries()) {
      wants = Arrays.copyOf(wants, Math.max(pairs.entries(), 2 * wants.length));
    }
    double most = 0;
    for (int e = pairs.firstEntry(index); e < pairs.firstEntry(index + 1); e++) {
      wants[e] = pairs.isActive(e) ? wantedByPair(pairs, e, pairs.crossing(index)) : GOT;
      most = Math.max(most, wants[e]);
    }
    // Finding the level visits all of the endpoint's pairs, wherever they go.
    int endpoint = pairs.endpoint(index);
    boolean mayBeHeld =
        most
            > LEAST_LEVEL
                * state.heldBitsPerSecond(endpoint)
                / state.endpoints.activePairs[endpoint];
    double held = mayBeHeld ? heldLevel(endpoint) : Double.POSITIVE_INFINITY;
    double sum = 0;
    for (int e = pairs.firstEntry(index); e < pairs.firstEntry(index + 1); e++) {
      if (wants[e] >= 0) {
        wants[e] = Math.min(held, wants[e]);
        sum += wants[e] * pairs.fractions()[e];
      }
    }
    return sum;
  }

  /**
   * What each of an endpoint's pairs that cross a port may send at most, bit/s, as they wanted it
   * last.
   *
   * @param part what of it they share there, bit/s
   */
  double level(PortPairs pairs, int index, double part) {
    int end = pairs.firstEntry(index + 1);
    return level(wants, pairs.fractions(), pairs.firstEntry(index), end, part);
  }

  private static double level(double[] wants, double[] fractions, int first, int end, double part) {
    double left = part;
    double open = 0;
    int count = 0;
    for (int i = first; i < end; i++) {
      if (wants[i] >= 0) {
        open += fractions[i];
        count++;
      }
    }
    double level = part;
    for (boolean moved = true; moved && count > 0; ) {
      moved = false;
      level = left / open;
      for (int i = first; i < end; i++) {
        if (wants[i] >= 0 && wants[i] <= level) {
          left -= wants[i] * fractions[i];
          open -= fractions[i];
          wants[i] = GOT;
          count--;
          moved = true;
        }
      }
    }
    return level;
  }

  private double wantedByPair(PortPairs pairs, int entry, int crossing) {
    double most = Demands.at(state, pairs.pair(entry), crossing);
    for (int o = pairs.firstOther(entry); o < pairs.firstOther(entry + 1); o++) {
      if (state.ports.unitShareBitsPerSecond[pairs.otherPort(o)] > 0) {
        most = Math.min(most, state.crossings.pairLevel(pairs.otherCrossing(o)));
      }
    }
    return most;
  }

  /** What each of an endpoint's pairs may send at most, as its host holds all of them together. */
  private double heldLevel(int endpoint) {
    double held = state.heldBitsPerSecond(endpoint);
    if (state.endpoints.activePairs[endpoint] < 2) {
      return held;
    }
    CrossingTable crossings = state.crossings;
    int count = 0;
    for (int p = state.endpoints.firstPair[endpoint]; p >= 0; p = state.pairs.nextOfEndpoint[p]) {
      if (state.pairs.isActive(p)) {
        double most = Demands.of(state, p);
        for (int e = state.pairs.firstEntry[p]; e >= 0; e = crossings.nextOfPair[e]) {
          int crossing = crossings.entryCrossing[e];
          if (state.ports.unitShareBitsPerSecond[crossings.port[crossing]] > 0) {
            most = Math.min(most, crossings.pairLevel(crossing));
          }
        }
        if (count == heldWants.length) {
          heldWants = Arrays.copyOf(heldWants, Math.max(16, 2 * count));
          heldFractions = new double[heldWants.length];
          Arrays.fill(heldFractions, 1);
        }
        heldWants[count++] = most;
      }
    }
    return level(heldWants, heldFractions, 0, count, held);
  }
}

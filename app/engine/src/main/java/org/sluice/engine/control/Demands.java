// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import org.sluice.engine.law.Demand;
import org.sluice.engine.state.CrossingTable;
import org.sluice.engine.state.EngineState;

/** What the sources of a port demand ({@link Demand}): whether shares must be computed anew. */
final class Demands {
  /**
   * A change of a demand is not worth that if it is a smaller part of the demand and of the port:
   * what is little of a large demand may be much of what others have.
   */
  private static final double NOTICEABLE = 0.05;

  private static final double NOTICEABLE_OF_PORT = 0.002;

  private final CrossingTable crossings;

  Demands(CrossingTable crossings) {
    this.crossings = crossings;
  }

  /** What a pair demands wherever it goes, bit/s. */
  static double of(EngineState state, int pair) {
    return Demand.of(
        state.pairs.isGreedy(pair, state.now),
        state.pairs.rateBitsPerSecond(pair),
        state.endpoints.deliveredBitsPerSecond[state.pairs.endpoint[pair]]);
  }

  /** What a pair demands at a port, where it may be tried whether it would send more, bit/s. */
  static double at(EngineState state, int pair, int crossing) {
    boolean isTried = state.crossings.triedBitsPerSecond[crossing] > 0;
    return (isTried ? Trial.ROOM : 1) * of(state, pair);
  }

  /**
   * Evaluates what each source demands.
   *
   * @param sources with rates of now
   * @param capacityBitsPerSecond of the port
   * @return whether somebody's demand has changed noticeably
   */
  boolean update(PortSources sources, double capacityBitsPerSecond, long now) {
    double noticeable = NOTICEABLE_OF_PORT * capacityBitsPerSecond;
    boolean changed = false;
    for (int i = 0; i < sources.size(); i++) {
      int row = sources.crossing(i);
      double after = sources.demandBitsPerSecond(i);
      if (after == Demand.GREEDY || crossings.usedAt(row) == CrossingTable.NOT_LOOKED_AT) {
        crossings.setUsedAt(row, now);
      }
      double before = crossings.demandBitsPerSecond(row);
      if (Math.abs(after - before) > Math.min(NOTICEABLE * before, noticeable)) {
        crossings.setDemandBitsPerSecond(row, after);
        changed = true;
      }
    }
    return changed;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import org.sluice.engine.law.Demand;
import org.sluice.engine.state.CrossingTable;

/** Who of the sources of a port wants less than it may have ({@link Demand}). */
final class Demands {
  /** A smaller relative change of a demand is not worth computing shares anew. */
  private static final double NOTICEABLE = 0.05;

  /**
   * Where all together get less than this part of a port, nobody's rate says what it wants: the
   * port is not full, or rates have faded since hosts reported them last.
   */
  private static final double FULL = 0.8;

  private final CrossingTable crossings;

  Demands(CrossingTable crossings) {
    this.crossings = crossings;
  }

  /**
   * Looks at what each source gets through.
   *
   * @param sources with rates of now
   * @param capacityBitsPerSecond of the port
   * @return whether somebody's demand has changed noticeably
   */
  boolean look(PortSources sources, double capacityBitsPerSecond, long now) {
    if (sources.totalRate() < FULL * capacityBitsPerSecond) {
      return false;
    }
    boolean changed = false;
    for (int i = 0; i < sources.size(); i++) {
      changed |= look(sources.crossing(i), sources.rates()[i], now);
    }
    return changed;
  }

  private boolean look(int row, double rate, long now) {
    // One that another port holds wants all that it may have there, not what it happens to get.
    double part = Math.min(crossings.partBitsPerSecond[row], crossings.elsewhereBitsPerSecond[row]);
    if (!Demand.isLittle(rate, part)) {
      crossings.littleSince[row] = CrossingTable.NOT_LITTLE;
    } else if (crossings.littleSince[row] == CrossingTable.NOT_LITTLE) {
      crossings.littleSince[row] = now;
    }
    long since = crossings.littleSince[row];
    double before = crossings.demandBitsPerSecond[row];
    double after =
        Demand.of(before, rate, part, since == CrossingTable.NOT_LITTLE ? 0 : now - since);
    boolean isFinite = before < Demand.GREEDY && after < Demand.GREEDY;
    if (after == before || isFinite && Math.abs(after - before) <= NOTICEABLE * before) {
      return false;
    }
    crossings.demandBitsPerSecond[row] = after;
    return true;
  }
}

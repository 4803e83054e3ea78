// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import org.sluice.engine.law.Demand;
import org.sluice.engine.state.CrossingTable;

/** Who of the sources of a port demands less than it may have ({@link Demand}). */
final class Demands {
  /**
   * A change of a demand is not worth computing shares anew if it is a smaller part of the demand
   * and of the port: what is little of a large demand may be much of what others have.
   */
  private static final double NOTICEABLE = 0.05;

  private static final double NOTICEABLE_OF_PORT = 0.002;

  /** Up to so many times its floor an endpoint may be held by that. */
  private static final double AT_FLOOR = 1.1;

  /**
   * Where all together get less than this part of a port, nobody's rate says what it demands: the
   * port is not full, or rates have faded since hosts reported them last.
   */
  static final double FULL = 0.8;

  private final CrossingTable crossings;

  // By source:
  private double[] floor = {};
  private double[] weight = {};

  Demands(CrossingTable crossings) {
    this.crossings = crossings;
  }

  /**
   * Evaluates what each source gets through.
   *
   * @param sources with rates of now
   * @param capacityBitsPerSecond of the port
   * @param unitShare as computed last, bit/s; 0 before the first time
   * @param calmNanos for how long the port has not been overloaded, ns. While it is, who gets
   *     little may have lost what it sent: nobody becomes light that is silent, or has not got
   *     little for {@link Demand#OVERLOADED_PATIENCE_NANOS}
   * @return whether somebody's demand has changed noticeably
   */
  boolean update(
      PortSources sources,
      double capacityBitsPerSecond,
      double unitShare,
      long calmNanos,
      long now) {
    if (sources.totalRate() < FULL * capacityBitsPerSecond) {
      return false;
    }
    fetch(sources);
    double noticeable = NOTICEABLE_OF_PORT * capacityBitsPerSecond;
    double most = most(sources, unitShare);
    boolean changed = false;
    for (int i = 0; i < sources.size(); i++) {
      int row = sources.crossing(i);
      changed |= update(row, sources.rates()[i], most * part(row), noticeable, calmNanos, now);
    }
    return changed;
  }

  /**
   * What part of their weights' parts those have who have most of them, at most 1. It is less where
   * the level is too high: then all are held so far, and none of them is light for that. Those whom
   * their floors hold say nothing about the level.
   */
  private double most(PortSources sources, double unitShare) {
    double most = 0;
    for (int i = 0; i < sources.size() && most < 1; i++) {
      double rate = sources.rates()[i];
      double part = unitShare * (weight[i] > 0 ? weight[i] : sources.weights()[i]);
      if (rate > AT_FLOOR * floor[i]) {
        most = part > 0 ? Math.max(most, rate / part) : 1;
      }
    }
    return most > 0 ? Math.min(1, most) : 1;
  }

  /** In a loop of its own: rows lie anywhere, and many are waited for side by side. */
  private void fetch(PortSources sources) {
    int size = sources.size();
    if (floor.length < size) {
      floor = new double[2 * size];
      weight = new double[2 * size];
    }
    for (int i = 0; i < size; i++) {
      int row = sources.crossing(i);
      floor[i] = crossings.floorBitsPerSecond(row);
      weight[i] = crossings.weight(row);
    }
  }

  /** One that another port holds demands all that it may have there, not what it happens to get. */
  private double part(int row) {
    return Math.min(crossings.partBitsPerSecond(row), crossings.elsewhereBitsPerSecond(row));
  }

  /** Who has paused has got nothing for long already, by the time that its rate is 0. */
  private long littleNanos(int row, double rate, long calmNanos, long now) {
    if (rate == 0 && calmNanos > 0) {
      return Demand.PATIENCE_NANOS;
    }
    long since = crossings.littleSince(row);
    long little = since == CrossingTable.NOT_LITTLE ? 0 : now - since;
    return little < Demand.OVERLOADED_PATIENCE_NANOS ? Math.min(little, calmNanos) : little;
  }

  private boolean update(
      int row, double rate, double part, double noticeable, long calmNanos, long now) {
    boolean isLittle = Demand.isLittle(rate, part);
    if (!isLittle || crossings.usedAt(row) == CrossingTable.NOT_LOOKED_AT) {
      crossings.setUsedAt(row, now);
    }
    if (rate == 0 && calmNanos == 0 || !isLittle) {
      crossings.setLittleSince(row, CrossingTable.NOT_LITTLE);
    } else if (crossings.littleSince(row) == CrossingTable.NOT_LITTLE) {
      crossings.setLittleSince(row, now);
    }
    double before = crossings.demandBitsPerSecond(row);
    double after = Demand.of(before, rate, part, littleNanos(row, rate, calmNanos, now));
    boolean isFinite = before < Demand.GREEDY && after < Demand.GREEDY;
    double change = Math.abs(after - before);
    if (after == before || isFinite && change <= Math.min(NOTICEABLE * before, noticeable)) {
      return false;
    }
    crossings.setDemandBitsPerSecond(row, after);
    return true;
  }
}

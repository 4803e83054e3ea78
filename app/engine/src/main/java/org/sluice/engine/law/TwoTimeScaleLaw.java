// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import java.util.Arrays;

/**
 * Sluice's own law, the controller's half: every T_i (5 ms by default), for each congested port p
 * of capacity C_p, the unit share u_p that weight 1 may send through it: the level at which
 *
 * <pre>  sum over i of min(ceiling_i, demand_i, max(floor_i, w_i u_p)) = C_p</pre>
 *
 * <p>so that floors hold, and what ceilings and demands leave is shared by weight. With weights
 * alone, u_p = C_p / (sum of the weights of the active endpoints through p). The host's half turns
 * u_p and the share of CE marks into rates on its own, faster, time scale
 * (docs/two-time-scale-law.md).
 *
 * <p>The i are endpoints, or tenants; then the same level divides a tenant's share of the port
 * among its endpoints ({@code control.PortLevels}, docs/tenants.md).
 *
 * <ul>
 *   <li>w_i: weight, 1 by default.
 *   <li>floor_i, bit/s: what guarantees come to at p in the hose model, and what is reserved for
 *       promised deadlines ({@code control.Floors}).
 *   <li>ceiling_i, bit/s: the tenant's ceiling, the host's NIC, and what other ports under control
 *       leave to the endpoint ({@code control.PairShares}), by which the unit shares of all ports
 *       come to the weighted max-min shares.
 *   <li>demand_i, bit/s: what i demands where that is less than it may have ({@link Demand}).
 *       Nobody is held to it: it bounds what is kept free for i, not what i may send. So a floor
 *       that is not used is others' meanwhile.
 * </ul>
 *
 * <p>One instance per thread: it keeps scratch space.
 */
public final class TwoTimeScaleLaw {
  /**
   * How much of a port floors may take: the rest is for those without. Admission keeps them below
   * at NICs and edge ports; in the core nothing else does.
   */
  public static final double FLOOR_SHARE = GuaranteeAdmission.GUARANTEED_SHARE;

  /** Needs nearer to each other, by their size, are alike: sums of demands have rounding errors. */
  private static final double ROUNDING = 1e-9;

  private boolean[] fixed = new boolean[64];
  private double[] bounds = new double[64];

  /**
   * The unit share of a port. If floors exceed {@link #FLOOR_SHARE} of the capacity, all are scaled
   * down to that.
   *
   * @see #unitShare(double, double, int, double[], double[], double[], double[])
   */
  public double unitShare(
      double capacityBitsPerSecond,
      int count,
      double[] weights,
      double[] floors,
      double[] ceilings,
      double[] demands) {
    double scale = floorScale(capacityBitsPerSecond, count, floors);
    return unitShare(capacityBitsPerSecond, scale, count, weights, floors, ceilings, demands);
  }

  /**
   * The unit share of a port, or of a tenant's part of one.
   *
   * @param capacityBitsPerSecond C_p, above 0
   * @param floorScale what part of its floor each has, above 0 and at most 1; floors so scaled fit
   *     into the capacity
   * @param count how many endpoints are active, at least 1; that many leading elements of the
   *     arrays count
   * @param weights w_i, each above 0
   * @param floors bit/s; 0 is none
   * @param ceilings bit/s, not under the floor; infinite is none
   * @param demands bit/s, at least 0; infinite where more is demanded than there is
   * @return u_p, bit/s. If demands leave something over, what the one with the greatest demand by
   *     weight could have. If all ceilings together fit into the capacity, nothing bounds u_p: the
   *     least value that lets everybody up to the ceiling and is not under capacity / weights
   */
  public double unitShare(
      double capacityBitsPerSecond,
      double floorScale,
      int count,
      double[] weights,
      double[] floors,
      double[] ceilings,
      double[] demands) {
    double totalWeight = 0;
    double totalCeiling = 0;
    double ceilingLevel = 0;
    for (int i = 0; i < count; i++) {
      totalWeight += weights[i];
      totalCeiling += ceilings[i];
      ceilingLevel = Math.max(ceilingLevel, ceilings[i] / weights[i]);
    }
    if (totalCeiling <= capacityBitsPerSecond) {
      return Math.max(capacityBitsPerSecond / totalWeight, ceilingLevel);
    }
    double wantedLevel = bound(capacityBitsPerSecond, count, weights, ceilings, demands);
    double level = level(capacityBitsPerSecond, totalWeight, count, weights, floors, floorScale);
    return Math.max(level, wantedLevel);
  }

  /**
   * Sets the bounds: the lower of ceiling and demand. Where these leave something over, the
   * neediest by weight may take it, so that the level says what somebody could have.
   *
   * @return what nobody may be held under: the level at which all get what they demand, if there is
   *     enough for that; else 0
   */
  private double bound(
      double capacity, int count, double[] weights, double[] ceilings, double[] demands) {
    if (bounds.length < count) {
      bounds = new double[Math.max(count, 2 * bounds.length)];
    }
    double total = 0;
    double wantedLevel = 0;
    for (int i = 0; i < count; i++) {
      bounds[i] = Math.min(ceilings[i], demands[i]);
      total += bounds[i];
      wantedLevel = Math.max(wantedLevel, bounds[i] / weights[i]);
    }
    boolean isEnough = total <= capacity;
    while (total <= capacity) {
      int neediest = -1;
      for (int i = 0; i < count; i++) {
        if (bounds[i] < ceilings[i]
            && (neediest < 0 || isNeedier(i, neediest, weights, ceilings))) {
          neediest = i;
        }
      }
      total += ceilings[neediest] - bounds[neediest];
      bounds[neediest] = ceilings[neediest];
    }
    return isEnough ? wantedLevel : 0;
  }

  /**
   * Whether one demands more by weight than another, or as much and has the higher ceiling, or that
   * too and the lower weight: so the order in which they are listed decides nothing.
   */
  private boolean isNeedier(int one, int other, double[] weights, double[] ceilings) {
    double need = bounds[one] / weights[one];
    double otherNeed = bounds[other] / weights[other];
    if (Math.abs(need - otherNeed) > ROUNDING * otherNeed) {
      return need > otherNeed;
    }
    int byCeiling = Double.compare(ceilings[one], ceilings[other]);
    return byCeiling > 0 || byCeiling == 0 && weights[one] < weights[other];
  }

  /**
   * What part of their floors endpoints have at a port: all of it, unless floors together would
   * take more than {@link #FLOOR_SHARE} of the port.
   *
   * @param capacityBitsPerSecond C_p, above 0
   * @param count how many leading floors count
   * @param floors bit/s, at least 0
   * @return above 0 and at most 1
   */
  public static double floorScale(double capacityBitsPerSecond, int count, double[] floors) {
    return fitting(FLOOR_SHARE * capacityBitsPerSecond, count, floors);
  }

  /**
   * What part of their floors fits into what there is for them.
   *
   * @param mostBitsPerSecond above 0
   * @param count how many leading floors count
   * @param floors bit/s, at least 0
   * @return above 0 and at most 1
   */
  public static double fitting(double mostBitsPerSecond, int count, double[] floors) {
    double totalFloor = 0;
    for (int i = 0; i < count; i++) {
      totalFloor += floors[i];
    }
    return totalFloor > mostBitsPerSecond ? mostBitsPerSecond / totalFloor : 1;
  }

  /**
   * Freezes, round by round, those whom the present level would violate: at their floors if floors
   * request more than bounds leave, else at their bounds. Each round freezes at least one, and none
   * wrongly.
   */
  private double level(
      double capacity,
      double totalWeight,
      int count,
      double[] weights,
      double[] floors,
      double floorScale) {
    clear(count);
    double freeCapacity = capacity;
    double freeWeight = totalWeight;
    double level = capacity / totalWeight;
    for (int left = count; left > 0; ) {
      level = freeCapacity / freeWeight;
      double lack = 0;
      boolean violated = false;
      for (int i = 0; i < count; i++) {
        if (!fixed[i]) {
          double wanted = weights[i] * level;
          double held = Math.min(bounds[i], Math.max(floors[i] * floorScale, wanted));
          lack += held - wanted;
          violated |= held != wanted;
        }
      }
      if (!violated) {
        return level;
      }
      for (int i = 0; i < count; i++) {
        double wanted = weights[i] * level;
        double floor = Math.min(bounds[i], floors[i] * floorScale);
        boolean freeze = lack >= 0 && wanted < floor || lack <= 0 && wanted > bounds[i];
        if (!fixed[i] && freeze) {
          fixed[i] = true;
          freeCapacity -= wanted < floor ? floor : bounds[i];
          freeWeight -= weights[i];
          left--;
        }
      }
    }
    return level;
  }

  private void clear(int count) {
    if (fixed.length < count) {
      fixed = new boolean[Math.max(count, 2 * fixed.length)];
    } else {
      Arrays.fill(fixed, 0, count, false);
    }
  }
}

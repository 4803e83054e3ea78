// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import java.util.Arrays;

/**
 * What each endpoint of a tenant may send of the tenant's ceiling C, wherever the endpoints are:
 * each host holds its endpoints to their parts, so that all of them together send no more than C,
 * also where no port is under control.
 *
 * <p>Endpoint i has a weight w_i against its siblings, sends r_i, and has headroom D_i: infinite
 * while it wants all that it may have, else a little more than r_i. The parts are weighted max-min,
 *
 * <pre>  s_i = min(D_i, max(f_i, w_i v))</pre>
 *
 * <p>with the greatest v at which what is sent, the sum of min(s_i, r_i), greedy ones' s_i, is no
 * more than C, and the sum of s_i no more than 1.1 C: what one does not use is its siblings', and
 * unused headroom is given to others ({@link #SHARED_PART}). Until it is seen that its owners begin
 * to use it, up to a tenth more than C may be sent. f_i is what is reserved for promised deadlines.
 * Where all headroom together leaves something over, it is everybody's: s_i = min(NIC, max(D_i, w_i
 * v)), with the sum C.
 *
 * <p>One instance per thread: it keeps scratch space.
 */
public final class TenantCeilingLaw {
  /** An endpoint that wants all that it may have. */
  public static final double GREEDY = Demand.GREEDY;

  /** Room of an endpoint that wants little, in parts of what it sends. */
  public static final double HEADROOM = 1.25;

  /** Room of those that send nothing, all endpoints together, in parts of the ceiling. */
  public static final double IDLE_PART = 0.05;

  /** How much of the ceiling may be handed out beyond it. */
  public static final double SHARED_PART = 0.1;

  /** An endpoint that fills its part has so many times as much headroom next. */
  public static final double GROWTH = 4;

  /** Room is taken away only below so much of the part. */
  public static final double SLACK = 0.7;

  /** Above so much of its part an endpoint fills it. */
  private static final double FILLED = 0.9;

  /** Room is taken away below so much of all there is. */
  private static final double LIGHT = 0.8;

  /** For so long an endpoint must get little before its headroom shrinks, ns. */
  public static final long PATIENCE_NANOS = 200_000_000L;

  private final TwoTimeScaleLaw levels = new TwoTimeScaleLaw();
  private double[] low = new double[16];
  private double[] sent = new double[16];
  private double[] floor = new double[16];
  private double[] high = new double[16];
  private double[] unbounded = new double[16];

  /**
   * The headroom that an endpoint has however little it sends, bit/s: so it can begin at once.
   *
   * @param weightPart its weight, in parts of all of its tenant's endpoints'
   */
  public static double idleHeadroom(double ceilingBitsPerSecond, double weightPart) {
    return IDLE_PART * weightPart * ceilingBitsPerSecond;
  }

  /**
   * The headroom that an endpoint has once its packets wait, bit/s: all that may be handed out
   * beyond the ceiling. Its siblings lose as much as it turns out to send, no more: a light one
   * that waits for a moment costs them nothing.
   */
  public static double beginnersHeadroom(double ceilingBitsPerSecond) {
    return SHARED_PART * ceilingBitsPerSecond;
  }

  /** Whether an endpoint gets so little that its headroom is about to shrink. */
  public static boolean isLittle(double headroom, double rate, double part) {
    return rate < (headroom == GREEDY ? LIGHT : SLACK) * part;
  }

  /**
   * An endpoint's headroom after an evaluation.
   *
   * @param before its headroom before, bit/s, or {@link #GREEDY}
   * @param rate what it sends, bit/s
   * @param part what it may send, bit/s; 0 is not known
   * @param idleHeadroom see {@link #idleHeadroom}
   * @param ceiling the tenant's, bit/s, above 0
   * @param littleNanos for how long it has sent little ({@link #isLittle}), ns
   * @return bit/s, at least the idle headroom; {@link #GREEDY} from the ceiling on
   */
  public static double headroom(
      double before,
      double rate,
      double part,
      double idleHeadroom,
      double ceiling,
      long littleNanos) {
    double headroom = before;
    if (part <= 0) {
      headroom = HEADROOM * rate;
    } else if (rate > FILLED * part) {
      headroom = Math.max(before, GROWTH * part);
    } else if (littleNanos >= PATIENCE_NANOS) {
      headroom = Math.min(before, HEADROOM * rate);
    }
    return headroom >= ceiling ? GREEDY : Math.max(headroom, idleHeadroom);
  }

  /**
   * Divides a tenant's ceiling.
   *
   * @param ceiling C, bit/s, above 0
   * @param count how many endpoints there are, at least 1; that many leading elements count
   * @param weights w_i, above 0
   * @param rates r_i, bit/s
   * @param headrooms D_i, bit/s, above 0, or {@link #GREEDY}
   * @param floors f_i, bit/s; 0 is none
   * @param most what the host's NIC carries, bit/s, above 0; infinite where it is not known
   * @param parts takes s_i, bit/s
   */
  public void divide(
      double ceiling,
      int count,
      double[] weights,
      double[] rates,
      double[] headrooms,
      double[] floors,
      double[] most,
      double[] parts) {
    ensure(count);
    double wanted = 0;
    for (int i = 0; i < count; i++) {
      high[i] = Math.min(most[i], Math.max(headrooms[i], floors[i]));
      low[i] = Math.min(high[i], floors[i]);
      sent[i] = headrooms[i] < GREEDY ? Math.min(high[i], rates[i]) : high[i];
      wanted += high[i];
    }
    double scale = TwoTimeScaleLaw.fitting(ceiling, count, low);
    double level;
    if (wanted < ceiling) {
      System.arraycopy(high, 0, low, 0, count);
      System.arraycopy(most, 0, high, 0, count);
      scale = 1;
      level = level(ceiling, scale, count, weights, high);
    } else {
      level =
          Math.min(
              level((1 + SHARED_PART) * ceiling, scale, count, weights, high),
              level(ceiling, scale, count, weights, sent));
    }
    for (int i = 0; i < count; i++) {
      parts[i] = Math.min(high[i], Math.max(scale * low[i], weights[i] * level));
    }
  }

  /** The level at which all have a total; infinite where their bounds are less together. */
  private double level(double total, double scale, int count, double[] weights, double[] bounds) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
      floor[i] = Math.min(low[i], bounds[i]);
      sum += bounds[i];
    }
    return sum <= total
        ? Double.POSITIVE_INFINITY
        : levels.unitShare(total, scale, count, weights, floor, bounds, unbounded);
  }

  private void ensure(int count) {
    if (low.length < count) {
      int length = Math.max(count, 2 * low.length);
      low = new double[length];
      sent = new double[length];
      floor = new double[length];
      high = new double[length];
      unbounded = new double[length];
    }
    if (unbounded[0] == 0) {
      Arrays.fill(unbounded, Double.POSITIVE_INFINITY);
    }
  }
}

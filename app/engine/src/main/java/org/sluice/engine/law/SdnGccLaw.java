// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import java.util.Arrays;

/**
 * SDN-GCC, Algorithm 4, the controller's half (Abdelmoniem and Bensaou, "The Switch from
 * Conventional to SDN: The Case for Transport-Agnostic Congestion Control"): every T_i (5 ms by
 * default), for each port with alpha > 0 new marks, every one of the beta sources that send through
 * it is sent its part of them,
 *
 * <pre>  m = alpha / beta     marks</pre>
 *
 * <p>from which the host's half, Algorithm 3, cuts the source's rate; without notices the rate
 * recovers up to E ({@link #recoveryBound}).
 *
 * <p>The print slips twice: line 10 takes the new reading from the old one, so alpha is never above
 * 0 (here alpha counts up from 0 in every period), and line 16 adds to a beta that is not set to 0
 * per port. Our reading: beta is the number of source endpoints active through the port, not of
 * pairs, and a source gets one notice per port and T_i whatever the number of its destinations.
 *
 * <p>m = alpha / beta, as printed ({@code split = equal}), cuts all sources alike: differences
 * between them stay, and weights have no effect between hosts. {@code split = proportional}, the
 * default, divides by what each sends over its weight.
 */
public final class SdnGccLaw {

  /** How a port's marks are divided among its sources. */
  public enum Split {
    /** By what each sends, over its weight. */
    PROPORTIONAL,
    /** As printed: the same to each. */
    EQUAL
  }

  private SdnGccLaw() {}

  /**
   * Divides a port's marks among its sources.
   *
   * @param alpha new marks of the port in this T_i, above 0
   * @param beta how many source endpoints are active through it, at least 1; that many leading
   *     elements of the arrays count
   * @param ratesBitsPerSecond what of each gets through the port
   * @param weights w_i, each above 0
   * @param marks takes each one's part; they add up to alpha
   */
  public static void divide(
      Split split,
      double alpha,
      int beta,
      double[] ratesBitsPerSecond,
      double[] weights,
      double[] marks) {
    double total = 0;
    if (split == Split.PROPORTIONAL) {
      for (int i = 0; i < beta; i++) {
        total += ratesBitsPerSecond[i] / weights[i];
      }
    }
    if (total <= 0) {
      Arrays.fill(marks, 0, beta, alpha / beta);
      return;
    }
    for (int i = 0; i < beta; i++) {
      marks[i] = alpha * (ratesBitsPerSecond[i] / weights[i]) / total;
    }
  }

  /**
   * E, up to which a source may recover: its share by weight of its host's NIC among the endpoints
   * that send there now, not over its ceiling and not under its guarantee.
   *
   * @param guaranteeBitsPerSecond 0 is none
   * @param ceilingBitsPerSecond 0 is none
   * @param activeWeight sum of the weights of the host's sending endpoints, this one included
   */
  public static double recoveryBound(
      double nicBitsPerSecond,
      double weight,
      double activeWeight,
      double guaranteeBitsPerSecond,
      double ceilingBitsPerSecond) {
    double share = nicBitsPerSecond * Math.min(1, weight / activeWeight);
    double capped = ceilingBitsPerSecond > 0 ? Math.min(share, ceilingBitsPerSecond) : share;
    return Math.max(capped, guaranteeBitsPerSecond);
  }
}

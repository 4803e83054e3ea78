// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

/**
 * The part of its packets that a port marks, on average: as its agent or meters report, else as
 * {@link MarkTomography} estimates it.
 */
final class MarkedPart {
  /** Not known. */
  static final double UNKNOWN = -1;

  /** It is the mean of about so long, ns: several swings of the host loop. */
  static final double WINDOW_NANOS = 100e6;

  private double exact = UNKNOWN;
  private double estimate = UNKNOWN;
  private long updatedAt = Long.MIN_VALUE;

  /**
   * Takes what is known now.
   *
   * @param reported the marked part by the port's own agent or by meters, since the last evaluation
   * @param estimated from receivers' reports of paths; each of the two below 0: there is none
   */
  void update(double reported, double estimated, long now) {
    double keep = updatedAt == Long.MIN_VALUE ? 0 : Math.exp((updatedAt - now) / WINDOW_NANOS);
    updatedAt = now;
    if (reported < 0) {
      exact = UNKNOWN;
    } else {
      exact = exact < 0 ? reported : reported + (exact - reported) * keep;
    }
    estimate = estimated;
  }

  /** As the port's own agent or meters report, [0, 1]; or {@link #UNKNOWN}. */
  double exact() {
    return exact;
  }

  /** [0, 1], or {@link #UNKNOWN}. */
  double part() {
    return exact < 0 ? estimate : exact;
  }
}

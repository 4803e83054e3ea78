// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/**
 * What a sender of DA-DCTCP makes of its round trips: the least, the latest, and where they go.
 * {@link DaDctcpLaw} has the formulas.
 */
public final class RoundTripTrend {
  private final long queueBoundNanos;
  private long leastNanos;
  private long latestNanos;
  private double gradient;

  /**
   * @param queueBoundNanos what full queues add to a round trip, at least 0
   */
  public RoundTripTrend(long queueBoundNanos) {
    if (queueBoundNanos < 0) {
      throw new IllegalArgumentException(
          "queueBoundNanos must be at least 0, not " + queueBoundNanos);
    }
    this.queueBoundNanos = queueBoundNanos;
  }

  /** Forgets all: a new connection. */
  public void reset() {
    leastNanos = 0;
    latestNanos = 0;
    gradient = 0;
  }

  /**
   * A round trip was measured.
   *
   * @param nanos above 0; another is ignored
   */
  public void sample(long nanos) {
    if (nanos <= 0) {
      return;
    }
    if (latestNanos > 0) {
      leastNanos = Math.min(leastNanos, nanos);
      double step = DaDctcpLaw.gradient(nanos, latestNanos, leastNanos);
      gradient = DaDctcpLaw.average(gradient, step, DaDctcpLaw.AVERAGING_WEIGHT);
    } else {
      leastNanos = nanos;
    }
    latestNanos = nanos;
  }

  /** G, averaged; 0 before the second round trip. */
  public double gradient() {
    return gradient;
  }

  /** U of the latest round trip; 0 before the first. */
  public double utilisation() {
    return latestNanos == 0 ? 0 : DaDctcpLaw.utilisation(latestNanos, leastNanos, queueBoundNanos);
  }

  /** f; DCTCP's before the first round trip. */
  public double factor() {
    return latestNanos == 0 ? DaDctcpLaw.DCTCP_FACTOR : DaDctcpLaw.factor(utilisation(), gradient);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

/**
 * The retransmission timeout of RFC 6298. The clock is exact, so G is 0 and what keeps RTO above
 * SRTT is RTO_min alone.
 */
final class RetransmissionTimeout {
  /** Section 2.3: alpha = 1/8, beta = 1/4. */
  private static final int ALPHA_DIVISOR = 8;

  private static final int BETA_DIVISOR = 4;

  /** Section 2.3: K = 4. */
  private static final int VARIATIONS = 4;

  private final long initialNanos;
  private long minimumNanos;
  private final long maximumNanos;
  private long smoothedNanos;
  private long variationNanos;
  private long timeoutNanos;
  private boolean measured;

  RetransmissionTimeout(long initialNanos, long minimumNanos, long maximumNanos) {
    this.initialNanos = initialNanos;
    this.minimumNanos = minimumNanos;
    this.maximumNanos = maximumNanos;
    reset();
  }

  /** Holds from the next sample on. */
  void setMinimumNanos(long value) {
    minimumNanos = value;
  }

  /** Section 2.1. */
  void reset() {
    measured = false;
    smoothedNanos = 0;
    variationNanos = 0;
    timeoutNanos = initialNanos;
  }

  /** Sections 2.2 to 2.4. A back-off ends here: this sample is of a packet sent once (Karn). */
  void sample(long rttNanos) {
    if (measured) {
      long deviation = Math.abs(smoothedNanos - rttNanos);
      variationNanos += (deviation - variationNanos) / BETA_DIVISOR;
      smoothedNanos += (rttNanos - smoothedNanos) / ALPHA_DIVISOR;
    } else {
      measured = true;
      smoothedNanos = rttNanos;
      variationNanos = rttNanos / 2;
    }
    timeoutNanos =
        Math.min(maximumNanos, Math.max(minimumNanos, smoothedNanos + VARIATIONS * variationNanos));
  }

  /** Section 5.5. */
  void backOff() {
    timeoutNanos = Math.min(maximumNanos, timeoutNanos * 2);
  }

  /** RTO, ns. */
  long nanos() {
    return timeoutNanos;
  }

  /** SRTT, ns; 0 before the first sample. */
  long smoothedNanos() {
    return smoothedNanos;
  }
}

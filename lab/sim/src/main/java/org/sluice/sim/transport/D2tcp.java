// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

/**
 * D2TCP (Vamanan, Hasan, Vijaykumar: Deadline-Aware Datacenter TCP, SIGCOMM 2012, section 3): DCTCP
 * whose penalty is alpha to the power of d, where d is how urgent the flow is. Without a deadline d
 * is 1, which is DCTCP.
 */
public final class D2tcp extends Dctcp {
  /** d is kept within [0.5, 2]. */
  static final double LEAST_URGENCY = 0.5;

  static final double GREATEST_URGENCY = 2;

  /** Between W / 2 and W a window is 3/4 W in the mean. */
  private static final double MEAN_OF_SAWTOOTH = 0.75;

  private double urgency = 1;

  D2tcp(TcpParameters parameters) {
    super(parameters);
  }

  /**
   * d: time needed at the present rate over time left; the greatest once the deadline has passed.
   */
  public double urgency() {
    return urgency;
  }

  @Override
  public void acknowledged(Acknowledgement acknowledgement) {
    urgency = urgency(acknowledgement);
    super.acknowledged(acknowledgement);
  }

  private double urgency(Acknowledgement acknowledgement) {
    if (acknowledgement.deadlineNanos() == TcpFlow.NO_DEADLINE) {
      return 1;
    }
    double needed =
        acknowledgement.remainingBytes()
            * (double) acknowledgement.smoothedRttNanos()
            / (MEAN_OF_SAWTOOTH * windowBytes());
    long left = acknowledgement.deadlineNanos() - acknowledgement.nowNanos();
    double ratio = left > 0 ? needed / left : GREATEST_URGENCY;
    return Math.min(GREATEST_URGENCY, Math.max(LEAST_URGENCY, ratio));
  }

  /** Equation 2: p = alpha^d. */
  @Override
  double penalty() {
    return StrictMath.pow(alpha(), urgency);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import org.sluice.engine.law.RoundTripTrend;

/**
 * DA-DCTCP's sender (Xu et al., "An Adaptive Congestion Control Optimization Strategy in SDN-Based
 * Data Centers", CMC 81(2), 2024, section 3.1): DCTCP whose penalty is f alpha, where f follows
 * round trips ({@link RoundTripTrend}). It grows, and answers losses, as DCTCP does.
 */
public final class DaDctcp extends Dctcp {
  private final RoundTripTrend trend;

  DaDctcp(TcpParameters parameters) {
    super(parameters);
    trend = new RoundTripTrend(parameters.queueBoundNanos());
  }

  @Override
  public void open(int mss, double initialWindow, long rttNanos, long nowNanos) {
    super.open(mss, initialWindow, rttNanos, nowNanos);
    trend.reset();
    trend.sample(rttNanos);
  }

  /** How round trips have gone. */
  public RoundTripTrend trend() {
    return trend;
  }

  @Override
  public void acknowledged(Acknowledgement acknowledgement) {
    trend.sample(acknowledgement.rttNanos());
    super.acknowledged(acknowledgement);
  }

  @Override
  double penalty() {
    return trend.factor() * alpha();
  }
}

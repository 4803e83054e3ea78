// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

/**
 * The sender of F-DCTCP (Aina, Mhamdi, Hamdi: "F-DCTCP: Fair Congestion Control for SDN-Based Data
 * Center Networks", ISNCC 2019), by our reading of what others say of it: DCTCP whose controller
 * sees congestion come and "actively reduces the sending rate of participating flows". The rate is
 * the flow's equal part of the port.
 */
public final class FDctcp extends Dctcp {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int BITS_PER_BYTE = 8;

  private long smoothedRttNanos;

  FDctcp(TcpParameters parameters) {
    super(parameters);
  }

  @Override
  public void open(int mss, double initialWindow, long rttNanos, long nowNanos) {
    super.open(mss, initialWindow, rttNanos, nowNanos);
    smoothedRttNanos = rttNanos;
  }

  @Override
  public void acknowledged(Acknowledgement acknowledgement) {
    smoothedRttNanos = acknowledgement.smoothedRttNanos();
    super.acknowledged(acknowledgement);
  }

  /**
   * The controller sees congestion come: a window that sends more than a rate becomes what sends
   * it.
   *
   * @param fairBitsPerSecond above 0
   */
  public void notified(double fairBitsPerSecond) {
    if (smoothedRttNanos <= 0) {
      return;
    }
    double fair = fairBitsPerSecond / BITS_PER_BYTE * (smoothedRttNanos / NANOS_PER_SECOND);
    if (fair < windowBytes()) {
      reduceTo(fair);
    }
  }
}

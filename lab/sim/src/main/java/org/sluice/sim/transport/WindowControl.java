// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

/**
 * What congestion controls with a window and a slow start threshold have in common: RFC 5681's slow
 * start and its answer to a timeout. They differ in how they grow and by how much they shrink.
 */
abstract class WindowControl implements CongestionControl {
  private static final int LEAST_THRESHOLD_SEGMENTS = 2;

  private final int growthLimitSegments;
  private double initialWindowBytes;
  private int mssBytes;
  private double windowBytes;
  private double thresholdBytes;

  WindowControl(TcpParameters parameters) {
    growthLimitSegments = parameters.growthLimitSegments();
  }

  @Override
  public void open(int mss, double initialWindow, long rttNanos, long nowNanos) {
    mssBytes = mss;
    initialWindowBytes = initialWindow;
    windowBytes = initialWindow;
    thresholdBytes = Double.POSITIVE_INFINITY;
  }

  @Override
  public final double windowBytes() {
    return windowBytes;
  }

  @Override
  public final double slowStartThresholdBytes() {
    return thresholdBytes;
  }

  final int mssBytes() {
    return mssBytes;
  }

  final void setWindowBytes(double value) {
    windowBytes = Math.max(mssBytes, value);
  }

  /** Both become a value, at least two segments. */
  final void reduceTo(double bytes) {
    thresholdBytes = Math.max(LEAST_THRESHOLD_SEGMENTS * mssBytes, bytes);
    windowBytes = thresholdBytes;
  }

  @Override
  public void acknowledged(Acknowledgement acknowledgement) {
    if (!acknowledgement.mayGrow()) {
      return;
    }
    if (windowBytes < thresholdBytes) {
      // RFC 3465, section 2.3: after a timeout one segment per acknowledgement at most.
      int segments = acknowledgement.afterTimeout() ? 1 : growthLimitSegments;
      windowBytes += Math.min(acknowledgement.acknowledgedBytes(), (long) segments * mssBytes);
    } else {
      avoidCongestion(acknowledgement);
    }
  }

  /** RFC 5681, section 3.1: a segment more per window, counted in bytes that have arrived. */
  final void grow(Acknowledgement acknowledgement) {
    windowBytes += mssBytes * acknowledgement.acknowledgedBytes() / windowBytes;
  }

  /** An acknowledgement above the threshold. */
  abstract void avoidCongestion(Acknowledgement acknowledgement);

  @Override
  public void recovered(long nowNanos) {
    // The window was set when the loss was found.
  }

  @Override
  public void timedOut(double flightBytes, boolean again, long nowNanos) {
    if (!again) {
      reduceTo(flightBytes * timeoutFactor());
    }
    windowBytes = mssBytes;
  }

  /** Which share of the flight the threshold becomes. */
  double timeoutFactor() {
    return 0.5;
  }

  @Override
  public void idled(long nowNanos) {
    windowBytes = Math.min(windowBytes, initialWindowBytes);
  }
}

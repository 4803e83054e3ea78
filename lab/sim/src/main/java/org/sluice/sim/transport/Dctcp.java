// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

/**
 * DCTCP (RFC 8257): estimates which share of its bytes is marked, and gives up half that share of
 * its window. Grows as NewReno does, and answers losses as NewReno does.
 */
public class Dctcp extends WindowControl {
  /** Section 3.3: DCTCP.Alpha begins at 1. */
  private static final double INITIAL_ALPHA = 1;

  private final double gain;
  private double alpha;
  private long windowEndSequence;
  private long acknowledgedBytes;
  private long markedBytes;

  Dctcp(TcpParameters parameters) {
    super(parameters);
    gain = parameters.dctcpGain();
  }

  @Override
  public void open(int mss, double initialWindow, long rttNanos, long nowNanos) {
    super.open(mss, initialWindow, rttNanos, nowNanos);
    alpha = INITIAL_ALPHA;
    windowEndSequence = 0;
    acknowledgedBytes = 0;
    markedBytes = 0;
  }

  /** The estimated share of marked bytes, 0 to 1 (RFC 8257: DCTCP.Alpha). */
  public final double alpha() {
    return alpha;
  }

  /** Section 3.3, steps 1 to 8. */
  @Override
  public void acknowledged(Acknowledgement acknowledgement) {
    acknowledgedBytes += acknowledgement.acknowledgedBytes();
    if (acknowledgement.echo()) {
      markedBytes += acknowledgement.acknowledgedBytes();
    }
    if (acknowledgement.acknowledgedTo() > windowEndSequence) {
      double marked = (double) markedBytes / acknowledgedBytes;
      alpha += gain * (marked - alpha);
      windowEndSequence = acknowledgement.nextSequence();
      acknowledgedBytes = 0;
      markedBytes = 0;
    }
    super.acknowledged(acknowledgement);
  }

  @Override
  void avoidCongestion(Acknowledgement acknowledgement) {
    grow(acknowledgement);
  }

  /** Section 3.3, step 9: the window times (1 - penalty / 2). */
  @Override
  public final void echoed(double flightBytes, long nowNanos) {
    reduceTo(windowBytes() * (1 - penalty() / 2));
  }

  /** What stands for the extent of congestion, 0 to 1. */
  double penalty() {
    return alpha;
  }

  /** Section 3.5: losses as ever. */
  @Override
  public final void lossDetected(double flightBytes, long nowNanos) {
    reduceTo(flightBytes / 2);
  }
}

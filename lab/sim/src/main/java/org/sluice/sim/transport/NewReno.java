// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

/** RFC 5681: one segment more per window, half the flight after a loss or an ECN-Echo. */
public final class NewReno extends WindowControl {
  NewReno(TcpParameters parameters) {
    super(parameters);
  }

  @Override
  void avoidCongestion(Acknowledgement acknowledgement) {
    grow(acknowledgement);
  }

  /** Section 3.1, equation 4. */
  @Override
  public void lossDetected(double flightBytes, long nowNanos) {
    reduceTo(flightBytes / 2);
  }

  /** RFC 3168, section 6.1.2: as for a loss. */
  @Override
  public void echoed(double flightBytes, long nowNanos) {
    reduceTo(flightBytes / 2);
  }
}

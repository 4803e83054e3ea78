// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

/**
 * Decides how much of a connection may be in flight. The sender decides what was lost (RFC 6675,
 * RFC 6582, RFC 6298) and when an ECN-Echo counts, and calls this. One instance belongs to one
 * connection; {@link #open} makes it new.
 */
public interface CongestionControl {
  /**
   * A connection is established.
   *
   * @param rttNanos of the handshake; 0 if it could not be measured
   */
  void open(int mssBytes, double initialWindowBytes, long rttNanos, long nowNanos);

  /** The congestion window: bytes that may be in flight. */
  double windowBytes();

  /** The slow start threshold, bytes; infinite before the first congestion. */
  double slowStartThresholdBytes();

  /** An acknowledgement has reported something new. */
  void acknowledged(Acknowledgement acknowledgement);

  /**
   * A loss was found by duplicate acknowledgements or SACK: once per recovery.
   *
   * @param flightBytes sent and not acknowledged cumulatively, at most the window
   */
  void lossDetected(double flightBytes, long nowNanos);

  /** What was in flight when the loss was found, or when the timer expired, has arrived. */
  void recovered(long nowNanos);

  /**
   * The retransmission timer has expired.
   *
   * @param flightBytes sent and not acknowledged cumulatively, at most the window
   * @param again whether it had expired before without anything new arriving since
   */
  void timedOut(double flightBytes, boolean again, long nowNanos);

  /** An ECN-Echo came that is to be answered: at most once per window of data. */
  void echoed(double flightBytes, long nowNanos);

  /** Nothing was sent for longer than the retransmission timeout (RFC 5681, section 4.1). */
  void idled(long nowNanos);

  /** The rate at which packets may leave, bit/s; 0: as the window allows. */
  default double pacingBitsPerSecond() {
    return 0;
  }

  /** Whether {@link Acknowledgement#deliveryBitsPerSecond} is needed: it costs time. */
  default boolean wantsDeliveryRate() {
    return false;
  }
}

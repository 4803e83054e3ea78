// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

/**
 * What an acknowledgement brings to the sender. One object per connection, filled anew each time.
 */
public final class Acknowledgement {
  /** No round trip could be measured. */
  public static final long NO_SAMPLE = -1;

  long nowNanos;
  long acknowledgedTo;
  long nextSequence;
  long acknowledgedBytes;
  long newlyDeliveredBytes;
  long deliveredBytes;
  long flightBytes;
  long priorFlightBytes;
  long lostBytes;
  long rttNanos;
  long smoothedRttNanos;
  long remainingBytes;
  long deadlineNanos;
  boolean echo;
  boolean mayGrow;
  boolean afterTimeout;
  boolean inRecovery;
  double deliveryBitsPerSecond;
  boolean applicationLimited;
  long priorDeliveredBytes;

  Acknowledgement() {}

  /** Now, ns. */
  public long nowNanos() {
    return nowNanos;
  }

  /** All bytes below have arrived. */
  public long acknowledgedTo() {
    return acknowledgedTo;
  }

  /** The next new byte to be sent. */
  public long nextSequence() {
    return nextSequence;
  }

  /** By how much the cumulative acknowledgement moved; 0 for a duplicate. */
  public long acknowledgedBytes() {
    return acknowledgedBytes;
  }

  /** Bytes of which it is new that they have arrived, cumulatively or by SACK. */
  public long newlyDeliveredBytes() {
    return newlyDeliveredBytes;
  }

  /** All bytes of this connection known to have arrived. */
  public long deliveredBytes() {
    return deliveredBytes;
  }

  /** Bytes in flight now: RFC 6675's pipe. */
  public long flightBytes() {
    return flightBytes;
  }

  /** Bytes that were in flight before this acknowledgement. */
  public long priorFlightBytes() {
    return priorFlightBytes;
  }

  /** All bytes of this connection ever taken for lost. */
  public long lostBytes() {
    return lostBytes;
  }

  /** The round trip, ns, or {@link #NO_SAMPLE}. */
  public long rttNanos() {
    return rttNanos;
  }

  /** RFC 6298's SRTT, ns; 0 before the first sample. */
  public long smoothedRttNanos() {
    return smoothedRttNanos;
  }

  /** Bytes of the application that are still to be delivered. */
  public long remainingBytes() {
    return remainingBytes;
  }

  /** When they are due, ns; {@link TcpFlow#NO_DEADLINE} if they are not. */
  public long deadlineNanos() {
    return deadlineNanos;
  }

  /** Whether it carries ECN-Echo. */
  public boolean echo() {
    return echo;
  }

  /** Whether the window may grow: no recovery, no echo, and the window is what limits the flow. */
  public boolean mayGrow() {
    return mayGrow;
  }

  /** Whether losses of a timeout are still being repaired. */
  public boolean afterTimeout() {
    return afterTimeout;
  }

  /** Whether losses found without a timeout are being repaired. */
  public boolean inRecovery() {
    return inRecovery;
  }

  /** Delivery rate, bit/s; 0 without a sample. Only where the congestion control uses it. */
  public double deliveryBitsPerSecond() {
    return deliveryBitsPerSecond;
  }

  /** Whether the application, not the network, bounded that rate. */
  public boolean applicationLimited() {
    return applicationLimited;
  }

  /** What {@link #deliveredBytes} was when the newest packet acknowledged here was sent. */
  public long priorDeliveredBytes() {
    return priorDeliveredBytes;
  }
}

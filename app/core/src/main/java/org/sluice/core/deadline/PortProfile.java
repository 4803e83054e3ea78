// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.concurrent.TimeUnit;

/**
 * What is taken for granted of a data center's switch ports, of what crosses them and of the way to
 * the controller: full Ethernet frames with TCP's time stamps, 1448 of 1514 bytes.
 */
final class PortProfile {
  /** Payload of a full segment, bytes. */
  static final int SEGMENT_BYTES = 1448;

  /** Initial window of senders, full segments. */
  static final int INITIAL_SEGMENTS = 10;

  /** The round trip of flows that are not measured yet, ns. */
  static final long ROUND_TRIP_NANOS = 500_000;

  /** What of a port's bits is payload of full segments. */
  static final double PAYLOAD_FRACTION = SEGMENT_BYTES / 1514.0;

  private PortProfile() {}

  /**
   * K of a port, bytes of payload. Switches are configured to mark at K = clamp(C x 2 ms, 4, 20
   * packets of 1500 bytes).
   */
  static long thresholdBytes(long capacityBitsPerSecond) {
    long packets = Math.round(capacityBitsPerSecond / 8.0 / 1500 * 0.002);
    return SEGMENT_BYTES * Math.max(4, Math.min(20, packets));
  }

  /**
   * Mean time that a report takes to the controller and a grant back to the host, together, ns;
   * both may wait for a control period.
   */
  static long latencyNanos(long controlPeriodNanos) {
    return 2 * controlPeriodNanos + TimeUnit.MILLISECONDS.toNanos(1);
  }

  /** A rate of whole frames as a rate of payload. */
  static double payloadBytesPerSecond(double bitsPerSecond) {
    return bitsPerSecond / 8 * PAYLOAD_FRACTION;
  }

  /** A rate of payload as a rate of whole frames. */
  static double frameBitsPerSecond(double payloadBytesPerSecond) {
    return payloadBytesPerSecond * 8 / PAYLOAD_FRACTION;
  }
}

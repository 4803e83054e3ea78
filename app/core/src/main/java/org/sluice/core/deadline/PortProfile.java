// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.concurrent.TimeUnit;

/**
 * What is taken for granted of switch ports, of what crosses them and of the way to the controller.
 * {@link #ETHERNET} is a data center's; a simulator has others.
 */
public interface PortProfile {
  /**
   * Full Ethernet frames with TCP's time stamps: 1448 of 1514 bytes. Switches are configured to
   * mark at K = clamp(C x 2 ms, 4, 20 packets of 1500 bytes).
   */
  PortProfile ETHERNET =
      new PortProfile() {
        @Override
        public double payloadFraction() {
          return 1448.0 / 1514;
        }

        @Override
        public int segmentBytes() {
          return 1448;
        }

        @Override
        public long thresholdBytes(long capacityBitsPerSecond) {
          long packets = Math.round(capacityBitsPerSecond / 8.0 / 1500 * 0.002);
          return segmentBytes() * Math.max(4, Math.min(20, packets));
        }

        @Override
        public long roundTripNanos() {
          return 500_000;
        }

        @Override
        public int initialSegments() {
          return 10;
        }

        @Override
        public long latencyNanos(long controlPeriodNanos) {
          return 2 * controlPeriodNanos + TimeUnit.MILLISECONDS.toNanos(1);
        }
      };

  /** What of a port's bits is payload of full segments; above 0, at most 1. */
  double payloadFraction();

  /** Payload of a full segment, bytes. */
  int segmentBytes();

  /** K of a port, bytes of payload. */
  long thresholdBytes(long capacityBitsPerSecond);

  /** The round trip of flows that are not measured yet, ns. */
  long roundTripNanos();

  /** Initial window of senders, full segments. */
  int initialSegments();

  /**
   * Mean time that a report takes to the controller and a grant back to the host, together, ns;
   * both may wait for a control period.
   */
  long latencyNanos(long controlPeriodNanos);

  /** A rate of whole frames as a rate of payload. */
  default double payloadBytesPerSecond(double bitsPerSecond) {
    return bitsPerSecond / 8 * payloadFraction();
  }

  /** A rate of payload as a rate of whole frames. */
  default double frameBitsPerSecond(double payloadBytesPerSecond) {
    return payloadBytesPerSecond * 8 / payloadFraction();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.port;

/**
 * What an endpoint sends through a port to destinations that other ports govern, as if no marks had
 * cut it: what marks take from one class is not for another.
 */
final class OtherPortTraffic {
  /** Over how many steps it is averaged. */
  private static final double STEPS = 8;

  /** Since the last step, by the index of the governing port. */
  private final long[] bytes = new long[EndpointControl.MAX_PORTS];

  private double bitsPerSecond;

  void add(int governing, long sentBytes) {
    bytes[governing] += sentBytes;
  }

  double bitsPerSecond() {
    return bitsPerSecond;
  }

  /**
   * Ends an interval. What was offered to a class is no more than the class lets through.
   *
   * @param ports all of the endpoint
   */
  void measure(PortTable ports, long elapsedNanos) {
    if (elapsedNanos <= 0) {
      return;
    }
    double sum = 0;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] > 0) {
        PortControl other = ports.get(i);
        if (other != null && other.limit > 0) {
          double rate = (double) bytes[i] * 8e9 / (double) elapsedNanos;
          sum += Math.min(rate / other.limit, 1) * other.due;
        }
        bytes[i] = 0;
      }
    }
    bitsPerSecond += (sum - bitsPerSecond) / STEPS;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.port;

/** What an endpoint sends through a port in the classes of other groups. */
final class SentElsewhere {
  /** How many steps it takes to learn it. */
  private static final double STEPS = 8;

  /** Since the last step, by group. */
  private final long[] bytes = new long[EndpointControl.MAX_GROUPS];

  private double bitsPerSecond;

  void add(int group, long sentBytes) {
    bytes[group] += sentBytes;
  }

  double bitsPerSecond() {
    return bitsPerSecond;
  }

  /**
   * Ends an interval. What was offered to a class is no more than the class lets through.
   *
   * @param groups all of the endpoint
   */
  void measure(PortGroup[] groups, long elapsedNanos) {
    if (elapsedNanos <= 0) {
      return;
    }
    double sum = 0;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] > 0) {
        double limit = groups[i] == null ? 0 : groups[i].limit;
        sum += Math.min((double) bytes[i] * 8e9 / (double) elapsedNanos, limit);
        bytes[i] = 0;
      }
    }
    bitsPerSecond += (sum - bitsPerSecond) / STEPS;
  }
}

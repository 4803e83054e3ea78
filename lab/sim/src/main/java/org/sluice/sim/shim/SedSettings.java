// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim;

/**
 * How SED's shims work.
 *
 * @param segmentBytes MSS, above 0
 * @param reportNanos how often the controller is told of progress, above 0
 * @param patienceNanos how long a SYN-ACK waits for the controller's word, above 0
 */
public record SedSettings(int segmentBytes, long reportNanos, long patienceNanos) {
  /** Segments of 1460 bytes, a report every 250 us, 5 ms of patience. */
  public static final SedSettings DEFAULTS = new SedSettings(1460, 250_000, 5_000_000);

  public SedSettings {
    if (segmentBytes <= 0 || reportNanos <= 0 || patienceNanos <= 0) {
      throw new IllegalArgumentException(
          "segmentBytes, reportNanos and patienceNanos must be above 0");
    }
  }
}

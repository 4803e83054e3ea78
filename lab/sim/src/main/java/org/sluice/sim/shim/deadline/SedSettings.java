// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.deadline;

/**
 * How SED's shims work.
 *
 * @param segmentBytes MSS, above 0
 * @param reportNanos how often progress is reported to the controller, above 0
 * @param patienceNanos how long a SYN-ACK waits for the controller's answer, at least 0
 * @param answersLosses whether senders get duplicate acknowledgements for losses that the
 *     controller answers (RSED)
 */
public record SedSettings(
    int segmentBytes, long reportNanos, long patienceNanos, boolean answersLosses) {
  /** Segments of 1460 bytes, a report every 250 us, 5 ms of patience, no answers to losses. */
  public static final SedSettings DEFAULTS = new SedSettings(1460, 250_000, 5_000_000, false);

  public SedSettings {
    if (segmentBytes <= 0 || reportNanos <= 0 || patienceNanos < 0) {
      throw new IllegalArgumentException(
          "segmentBytes and reportNanos must be above 0, patienceNanos not below");
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.deadline;

/**
 * What of SED's shims the controller does not decide.
 *
 * @param segmentBytes MSS of its endpoints' connections, above 0
 * @param holdsHandshakes whether a SYN-ACK waits for a grant as long as the controller says; else
 *     it passes at once
 */
public record SedSettings(int segmentBytes, boolean holdsHandshakes) {
  /** Segments of 1460 bytes; SYN-ACKs wait. */
  public static final SedSettings DEFAULTS = new SedSettings(1460, true);

  public SedSettings {
    if (segmentBytes <= 0) {
      throw new IllegalArgumentException("segmentBytes must be above 0, not " + segmentBytes);
    }
  }
}

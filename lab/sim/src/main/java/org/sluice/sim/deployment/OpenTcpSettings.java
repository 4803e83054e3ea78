// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import org.sluice.api.policy.PolicyPresets;
import org.sluice.api.policy.PolicySet;

/**
 * OpenTCP on a network.
 *
 * @param policies what the oracle evaluates
 * @param cycleNanos T, above 0: simulated time is short, so it need not be the set's
 * @param matrixNanos how often hosts report whom they send to, at least a cycle
 * @param tickNanos what hosts round RTO_min up to, a kernel's timer tick; 0: not at all
 */
public record OpenTcpSettings(
    PolicySet policies, long cycleNanos, long matrixNanos, long tickNanos) {
  /** How often hosts report whom they send to unless cycles are longer: 30 s. */
  public static final long MATRIX_NANOS = 30_000_000_000L;

  /** OpenTCP2 as printed, every minute, with hosts that take every RTO. */
  public static final OpenTcpSettings DEFAULTS =
      new OpenTcpSettings(
          PolicyPresets.openTcp2(), PolicySet.CYCLE_NANOS, PolicySet.CYCLE_NANOS, 0);

  public OpenTcpSettings {
    if (cycleNanos <= 0 || matrixNanos < cycleNanos || tickNanos < 0) {
      throw new IllegalArgumentException(
          "cycleNanos must be above 0, matrixNanos at least that, tickNanos not negative");
    }
  }
}

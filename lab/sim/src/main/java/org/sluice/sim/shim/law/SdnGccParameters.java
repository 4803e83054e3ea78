// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/**
 * The constants of SDN-GCC's shim; {@code docs/sdn-gcc.md} says how each was chosen.
 *
 * @param cutBitsPerMark scale(C) on the way down: what each mark takes, spread over T_i; above 0
 * @param recoveryDivisor scale(C) on the way up is C / recoveryDivisor per timer tick; above 0
 * @param minimumShare R_min as a part of the share E; (0, 1)
 * @param timerNanos the period of State_Update_Timeout
 * @param gracePeriods T_c in periods T_i; above 1
 * @param acceptPeriods how long, in periods T_i, a notice shuts out weaker ones; [0, 1)
 * @param periodNanos T_i where a notice does not name it
 * @param quietNanos T_o
 */
public record SdnGccParameters(
    double cutBitsPerMark,
    double recoveryDivisor,
    double minimumShare,
    long timerNanos,
    double gracePeriods,
    double acceptPeriods,
    long periodNanos,
    long quietNanos) {

  /** The agent's. */
  public static final SdnGccParameters DEFAULTS =
      new SdnGccParameters(1000, 4000, 0.01, 250_000, 1.5, 0.6, 5_000_000, 1_000_000_000L);
}

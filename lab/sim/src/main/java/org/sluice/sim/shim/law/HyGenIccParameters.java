// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/**
 * The constants of HyGenICC's sender; {@code docs/hygenicc.md} says how each was chosen.
 *
 * @param nicBitsPerSecond NIC_Cap, to which scale(NIC_Cap) on the way up is in proportion; above 0
 * @param cutBitsPerMark scale(NIC_Cap) on the way down: what each mark takes from the rate, spread
 *     over a timer period; above 0
 * @param slowDivisor within Congestion_Timeout of a mark a tick without marks adds nicBitsPerSecond
 *     / slowDivisor; above 0
 * @param fastDivisor and later nicBitsPerSecond / fastDivisor; above 0
 * @param minimumShare R_min as a part of Capacity_Share; (0, 1)
 * @param timerNanos the period of Timer_timeout
 * @param congestionTimeoutNanos Congestion_Timeout
 * @param quietNanos after so long without sending the state is forgotten
 */
public record HyGenIccParameters(
    double nicBitsPerSecond,
    double cutBitsPerMark,
    double slowDivisor,
    double fastDivisor,
    double minimumShare,
    long timerNanos,
    long congestionTimeoutNanos,
    long quietNanos) {

  /** Fit to the authors' figures. */
  public static HyGenIccParameters defaults(double nicBitsPerSecond) {
    return new HyGenIccParameters(
        nicBitsPerSecond, 500, 4000, 1000, 0.01, 500_000, 2_000_000, 1_000_000_000L);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/**
 * What weight 1 may send through a congested port.
 *
 * @param unitShareBitsPerSecond u_p
 * @param expired ends the control of the port
 * @param lentPart by about what part of its share who waits may exceed it; 0: by nothing
 * @param equalCost whether that is what several equal ports have free together, of which it is not
 *     known which one somebody crosses
 */
public record PortShare(
    long unitShareBitsPerSecond, boolean expired, double lentPart, boolean equalCost) {

  /** None was published. */
  public static final PortShare NONE = new PortShare(0, false, 0, false);
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim;

/**
 * What weight 1 may send through a congested port.
 *
 * @param unitShareBitsPerSecond u_p
 * @param capacityBitsPerSecond C_p
 * @param activeWeight sum of the weights of all that send through the port
 * @param expired ends the control of the port
 */
public record PortShare(
    long unitShareBitsPerSecond, long capacityBitsPerSecond, double activeWeight, boolean expired) {

  /** None was told. */
  static final PortShare NONE = new PortShare(0, 0, 0, false);
}

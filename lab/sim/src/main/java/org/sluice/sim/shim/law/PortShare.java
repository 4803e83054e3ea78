// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/**
 * What weight 1 may send through a congested port.
 *
 * @param unitShareBitsPerSecond u_p
 * @param capacityBitsPerSecond C_p
 * @param activeWeight sum of the weights of all that send through the port
 * @param expired ends the control of the port
 * @param markedPart the part of its packets that the port marks on average; 0 where that is not
 *     known
 * @param stale no controller has published it lately: it was relayed late, or is remembered
 */
public record PortShare(
    long unitShareBitsPerSecond,
    long capacityBitsPerSecond,
    double activeWeight,
    boolean expired,
    double markedPart,
    boolean stale) {

  /** One of a port of which it is not known how much it marks. */
  public PortShare(
      long unitShareBitsPerSecond,
      long capacityBitsPerSecond,
      double activeWeight,
      boolean expired) {
    this(unitShareBitsPerSecond, capacityBitsPerSecond, activeWeight, expired, 0);
  }

  /** One that the controller has just published. */
  public PortShare(
      long unitShareBitsPerSecond,
      long capacityBitsPerSecond,
      double activeWeight,
      boolean expired,
      double markedPart) {
    this(unitShareBitsPerSecond, capacityBitsPerSecond, activeWeight, expired, markedPart, false);
  }

  /** The same, as one that no controller has published lately. */
  public PortShare asStale() {
    return new PortShare(
        unitShareBitsPerSecond, capacityBitsPerSecond, activeWeight, expired, markedPart, true);
  }

  /** None was published. */
  public static final PortShare NONE = new PortShare(0, 0, 0, false, 0);
}

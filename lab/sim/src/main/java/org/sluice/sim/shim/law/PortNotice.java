// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/**
 * A congestion notification: so many marks were caused at a port. SDN-GCC's signal, and that of
 * Sluice's law where receivers do not report marks to sources themselves.
 *
 * @param marks the endpoint's part
 * @param periodNanos T_i, in which they were counted; 0 if unknown
 * @param shareBitsPerSecond E: what the endpoint may recover to; 0 if unknown
 * @param capacityBitsPerSecond C of the port
 * @param packets of how many packets the marks are a part; 0 if unknown
 */
public record PortNotice(
    double marks,
    long periodNanos,
    long shareBitsPerSecond,
    long capacityBitsPerSecond,
    double packets) {

  /** One of SDN-GCC. */
  public PortNotice(
      double marks, long periodNanos, long shareBitsPerSecond, long capacityBitsPerSecond) {
    this(marks, periodNanos, shareBitsPerSecond, capacityBitsPerSecond, 0);
  }
}

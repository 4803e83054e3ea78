// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim;

/**
 * SDN-GCC's congestion notification: so many marks were caused at a port.
 *
 * @param marks the endpoint's part
 * @param periodNanos T_i, in which they were counted; 0 if not told
 * @param shareBitsPerSecond E: what the endpoint may recover to; 0 if not told
 * @param capacityBitsPerSecond C of the port
 */
public record PortNotice(
    double marks, long periodNanos, long shareBitsPerSecond, long capacityBitsPerSecond) {}

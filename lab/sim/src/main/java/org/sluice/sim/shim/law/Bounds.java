// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/**
 * The limits that no law may leave.
 *
 * @param ceilingBitsPerSecond E: the lower of the NIC's capacity and the tenant's ceiling
 * @param guaranteeBitsPerSecond never undercut; 0 is none
 * @param weight of the endpoint, above 0
 */
public record Bounds(long ceilingBitsPerSecond, long guaranteeBitsPerSecond, double weight) {}

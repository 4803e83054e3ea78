// SPDX-License-Identifier: Apache-2.0

/**
 * The host side of Sluice in the simulator, from the bottom up:
 *
 * <ul>
 *   <li>{@link org.sluice.sim.shim.law}: the host laws, one file each, beside their papers
 *   <li>{@link org.sluice.sim.shim.queue}: the NIC's classes and their token buckets
 *   <li>{@link org.sluice.sim.shim.marks}: ECN marks, and which port set them
 *   <li>{@link org.sluice.sim.shim.port}: the congested ports that limit one endpoint
 *   <li>{@link org.sluice.sim.shim.feedback}: what receivers' shims send to senders' shims
 *   <li>{@link org.sluice.sim.shim.host}: what all rate-limiting shims have in common
 *   <li>{@link org.sluice.sim.shim.report}: reports to the controller
 *   <li>{@link org.sluice.sim.shim.sluice}, {@link org.sluice.sim.shim.hygenicc}, {@link
 *       org.sluice.sim.shim.deadline}: the three shims
 * </ul>
 *
 * <p>No package depends on a later one, and this one is empty.
 */
package org.sluice.sim.shim;

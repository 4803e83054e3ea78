// SPDX-License-Identifier: Apache-2.0

/**
 * The host laws, to be read beside their papers; symbols and line numbers are theirs.
 *
 * <ul>
 *   <li>{@link org.sluice.sim.shim.law.TwoTimeScale}: Sluice's own
 *   <li>{@link org.sluice.sim.shim.law.SdnGcc}: SDN-GCC, Algorithm 3
 *   <li>{@link org.sluice.sim.shim.law.HyGenIcc} and {@link
 *       org.sluice.sim.shim.law.HyGenIccReceiver}: HyGenICC, Algorithms 1 and 2
 *   <li>{@link org.sluice.sim.shim.law.SedWindow}: SED's window in a sender's acknowledgements
 * </ul>
 *
 * <p>The first three are rates, behind the interface {@link org.sluice.sim.shim.law.HostLaw}, and
 * twins of those in the agent's Go; the control-law vectors hold both to the same numbers.
 */
package org.sluice.sim.shim.law;

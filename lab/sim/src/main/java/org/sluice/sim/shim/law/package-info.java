// SPDX-License-Identifier: Apache-2.0

/**
 * The host laws, one file each: {@link org.sluice.sim.shim.law.TwoTimeScale} (Sluice), {@link
 * org.sluice.sim.shim.law.SdnGcc} (SDN-GCC, Algorithm 3) and {@link
 * org.sluice.sim.shim.law.HyGenIcc} (HyGenICC, Algorithm 1). They are the twins of those that the
 * agent runs in Go; the control-law vectors hold both to the same numbers. Symbols and line numbers
 * are the papers'.
 */
package org.sluice.sim.shim.law;

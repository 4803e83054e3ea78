// SPDX-License-Identifier: Apache-2.0

/**
 * The shim under a controller, for Sluice's law and SDN-GCC's: it puts into force what the laws of
 * its endpoints decide.
 */
package org.sluice.sim.shim.sluice;

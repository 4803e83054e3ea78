// SPDX-License-Identifier: Apache-2.0

/**
 * The host side of Sluice in the simulator: the control laws, twins of those that the agent runs,
 * the shim between virtual machines and NIC, and the NIC's classes.
 */
package org.sluice.sim.shim;

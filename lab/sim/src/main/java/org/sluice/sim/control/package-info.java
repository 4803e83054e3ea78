// SPDX-License-Identifier: Apache-2.0

/**
 * The controller's side in the simulator: the real engine, bound to the simulated network, behind a
 * control channel; and the deployments that put shims on all hosts.
 */
package org.sluice.sim.control;

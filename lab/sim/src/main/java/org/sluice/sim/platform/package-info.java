// SPDX-License-Identifier: Apache-2.0
/**
 * The simulator as a platform of the product's own controller: what a node requests of its
 * surroundings, over a simulated network, by the simulation's clock; and the links to the agents of
 * hosts and switches.
 */
package org.sluice.sim.platform;

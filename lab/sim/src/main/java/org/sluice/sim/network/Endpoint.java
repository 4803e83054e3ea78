// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

/**
 * A virtual machine's address.
 *
 * @param number its index among the network's endpoints: what packets carry
 * @param name as in the scenario
 * @param host where it lives
 */
public record Endpoint(int number, String name, Host host) {}

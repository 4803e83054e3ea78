// SPDX-License-Identifier: Apache-2.0

/**
 * The agents of hosts and of switches' ports, each with a function for each system that is on: they
 * turn the controller's messages into calls of shims and queues, and what these count into
 * messages.
 */
package org.sluice.sim.agent;

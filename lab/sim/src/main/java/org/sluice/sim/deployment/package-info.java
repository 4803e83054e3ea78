// SPDX-License-Identifier: Apache-2.0

/** Which agents, shims, queues and settings each system needs on a network, and who operates it. */
package org.sluice.sim.deployment;

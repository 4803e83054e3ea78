// SPDX-License-Identifier: Apache-2.0
/**
 * The loop on this node: the engine's one thread, what it is fed with, and the way of its decisions
 * to the hosts.
 */
package org.sluice.onos.loop;

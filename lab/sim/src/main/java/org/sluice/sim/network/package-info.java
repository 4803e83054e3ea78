// SPDX-License-Identifier: Apache-2.0
/** Packets, wires, switches and hosts. Depends on queues, but neither on transports nor on laws. */
package org.sluice.sim.network;

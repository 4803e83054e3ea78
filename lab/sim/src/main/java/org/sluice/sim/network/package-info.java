// SPDX-License-Identifier: Apache-2.0
/** Packets, wires, switches and hosts. Knows queues, but neither transports nor laws. */
package org.sluice.sim.network;

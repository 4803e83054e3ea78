// SPDX-License-Identifier: Apache-2.0
/** Packets, and the pool that they are taken from and given back to. */
package org.sluice.sim.packet;

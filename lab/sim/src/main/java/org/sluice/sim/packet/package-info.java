// SPDX-License-Identifier: Apache-2.0
/** Packets, and where they come from and go to when nobody needs them. */
package org.sluice.sim.packet;

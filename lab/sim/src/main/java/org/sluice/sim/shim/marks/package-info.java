// SPDX-License-Identifier: Apache-2.0

/** ECN marks on a host: hidden from virtual machines, and divided among congested ports. */
package org.sluice.sim.shim.marks;

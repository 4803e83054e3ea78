// SPDX-License-Identifier: Apache-2.0

/** Windows that a receiver's host gives the connections of its endpoints. */
package org.sluice.sim.shim.receive;

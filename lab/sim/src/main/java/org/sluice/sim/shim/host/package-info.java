// SPDX-License-Identifier: Apache-2.0

/** What all rate-limiting shims have in common: pairs with their counters, classes, turns. */
package org.sluice.sim.shim.host;

// SPDX-License-Identifier: Apache-2.0
/** Queue disciplines: what waits in front of a wire, what is marked, what is refused. */
package org.sluice.sim.queue;

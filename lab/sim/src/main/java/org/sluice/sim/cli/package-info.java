// SPDX-License-Identifier: Apache-2.0
/** The command {@code lab/sim/run}. */
package org.sluice.sim.cli;

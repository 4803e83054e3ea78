// SPDX-License-Identifier: Apache-2.0
/** Runs of all variants with all seeds, side by side. */
package org.sluice.sim.scenario.run;

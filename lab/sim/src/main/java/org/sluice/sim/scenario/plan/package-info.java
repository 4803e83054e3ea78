// SPDX-License-Identifier: Apache-2.0
/** A scenario file with all that is set from outside, unfolded into variants. */
package org.sluice.sim.scenario.plan;

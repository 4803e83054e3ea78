// SPDX-License-Identifier: Apache-2.0
/** Scenarios: what is simulated, measured and judged; how a file becomes cases, runs, figures. */
package org.sluice.sim.scenario;

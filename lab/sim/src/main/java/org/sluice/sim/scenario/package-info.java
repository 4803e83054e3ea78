// SPDX-License-Identifier: Apache-2.0
/**
 * Scenarios: what is simulated, measured and judged; how a file becomes variants, runs, figures.
 */
package org.sluice.sim.scenario;

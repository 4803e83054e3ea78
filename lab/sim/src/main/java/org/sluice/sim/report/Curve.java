// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

/**
 * One line of a plot.
 *
 * @param label in the legend
 * @param xs as many as ys
 */
record Curve(String label, double[] xs, double[] ys) {}

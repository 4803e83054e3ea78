// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import java.util.List;

/**
 * A plot with its axes' labels, ready to be drawn.
 *
 * @param file its name without an ending
 * @param places names of the places 0, 1, 2 ... along the horizontal axis; none where numbers are
 *     meant
 */
record Plot(
    String file,
    String title,
    String xTitle,
    String yTitle,
    List<String> places,
    List<Curve> curves) {}

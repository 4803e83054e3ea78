// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import java.util.List;

/** A plot with its axes' words, ready to be drawn. */
record Plot(String file, String title, String xTitle, String yTitle, List<Curve> curves) {}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.plan;

import java.util.List;
import org.sluice.sim.scenario.document.Fields;
import org.sluice.sim.scenario.measure.Window;

/**
 * A family of plots: one for each combination of values along some axes, in it a curve for each
 * remaining case.
 *
 * @param kind throughput (over time), cdf (of a quantity) or metric (along an axis)
 * @param name of the files
 * @param title above the plot
 * @param groups whose flows are drawn
 * @param quantity of a cdf: completion or throughput
 * @param window of a cdf's throughput; null for the whole run
 * @param metric that is drawn along {@code x}
 * @param unit of the metric
 * @param x an axis
 * @param cases which take part
 * @param each the axes with a plot for each value
 */
public record PlotSpec(
    String kind,
    String name,
    String title,
    List<String> groups,
    String quantity,
    Window window,
    String metric,
    String unit,
    String x,
    Glob cases,
    List<String> each) {

  static PlotSpec of(Fields at, long durationNanos) {
    return new PlotSpec(
        at.text("kind", ""),
        at.text("name", ""),
        at.text("title", at.text("name", "")),
        at.texts("of"),
        at.text("quantity", ""),
        window(at, durationNanos),
        at.text("metric", ""),
        at.text("unit", ""),
        at.text("x", ""),
        new Glob(at.text("cases", "*")),
        at.texts("each"));
  }

  private static Window window(Fields at, long durationNanos) {
    Window window = new Window(at.nanos("from", 0), at.nanos("to", durationNanos));
    if (window.toNanos() > durationNanos) {
      throw at.problem("to", "it lies behind the end of the run", "give at most the duration");
    }
    if (window.fromNanos() >= window.toNanos()) {
      throw at.problem("from", "the window is empty", "give a from before its to");
    }
    return window;
  }
}

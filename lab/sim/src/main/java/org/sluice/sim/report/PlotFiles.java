// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Draws plots as PNG and SVG. */
final class PlotFiles {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 420;
  private static final int MARKED_POINTS = 20;

  private PlotFiles() {}

  /** Writes FILE.png and FILE.svg; nothing for a plot without curves. */
  static void write(Plot plot, Path directory) throws IOException {
    if (plot.curves().isEmpty()) {
      return;
    }
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(plot.title())
            .xAxisTitle(plot.xTitle())
            .yAxisTitle(plot.yTitle())
            .build();
    chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setChartTitleVisible(true);
    if (!plot.places().isEmpty()) {
      chart.getStyler().setxAxisTickLabelsFormattingFunction(x -> place(plot.places(), x));
      chart.getStyler().setXAxisMin(-0.5);
      chart.getStyler().setXAxisMax(plot.places().size() - 0.5);
    }
    for (Curve curve : plot.curves()) {
      var series = chart.addSeries(curve.label(), curve.xs(), curve.ys());
      series.setLineWidth(1.5f);
      if (curve.xs().length > MARKED_POINTS) {
        series.setMarker(SeriesMarkers.NONE);
      }
    }
    String file = directory.resolve(plot.file()).toString();
    BitmapEncoder.saveBitmap(chart, file, BitmapFormat.PNG);
    VectorGraphicsEncoder.saveVectorGraphic(chart, file, VectorGraphicsFormat.SVG);
  }

  private static String place(List<String> places, double x) {
    int place = (int) Math.rint(x);
    boolean named = Math.abs(x - place) < 1e-6 && place >= 0 && place < places.size();
    return named ? places.get(place) : "";
  }
}

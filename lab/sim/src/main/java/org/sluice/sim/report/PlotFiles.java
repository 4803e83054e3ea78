// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Draws plots as PNG and SVG. */
final class PlotFiles {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 420;
  private static final int MARKED_POINTS = 20;
  private static final float LINE_WIDTH = 1.5f;

  private PlotFiles() {}

  /** Writes FILE.png and FILE.svg; nothing for a plot without curves. */
  static void write(Plot plot, Path directory) throws IOException {
    if (plot.curves().isEmpty()) {
      return;
    }
    Chart<?, ?> chart = plot.places().isEmpty() ? alongNumbers(plot) : alongPlaces(plot);
    chart.setTitle(plot.title());
    chart.setXAxisTitle(plot.xTitle());
    chart.setYAxisTitle(plot.yTitle());
    chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    String file = directory.resolve(plot.file()).toString();
    BitmapEncoder.saveBitmap(chart, file, BitmapFormat.PNG);
    VectorGraphicsEncoder.saveVectorGraphic(chart, file, VectorGraphicsFormat.SVG);
  }

  private static XYChart alongNumbers(Plot plot) {
    XYChart chart = new XYChartBuilder().width(WIDTH).height(HEIGHT).build();
    chart.getStyler().setXAxisMin(0.0);
    chart.getStyler().setYAxisMin(0.0);
    for (Curve curve : plot.curves()) {
      var series = chart.addSeries(curve.label(), curve.xs(), curve.ys());
      series.setLineWidth(LINE_WIDTH);
      if (curve.xs().length > MARKED_POINTS) {
        series.setMarker(SeriesMarkers.NONE);
      }
    }
    return chart;
  }

  private static CategoryChart alongPlaces(Plot plot) {
    CategoryChart chart = new CategoryChartBuilder().width(WIDTH).height(HEIGHT).build();
    chart.getStyler().setDefaultSeriesRenderStyle(CategorySeriesRenderStyle.Line);
    chart.getStyler().setYAxisMin(0.0);
    for (Curve curve : plot.curves()) {
      List<Double> ys = Arrays.asList(new Double[plot.places().size()]);
      Collections.fill(ys, null);
      for (int i = 0; i < curve.xs().length; i++) {
        double y = curve.ys()[i];
        ys.set((int) curve.xs()[i], Double.isNaN(y) ? null : Double.valueOf(y));
      }
      chart.addSeries(curve.label(), plot.places(), ys).setLineWidth(LINE_WIDTH);
    }
    return chart;
  }
}

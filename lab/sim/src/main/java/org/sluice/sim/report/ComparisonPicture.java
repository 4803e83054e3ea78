// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import java.awt.Color;
import java.awt.Font;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.CategoryStyler;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.sluice.sim.scenario.plan.TableSpec.Column;

/** Draws a table: for each column a chart, with a bar and its confidence interval for each row. */
final class ComparisonPicture {
  private static final int WIDTH = 460;
  private static final int HEIGHT = 300;
  private static final int CHARTS_ABREAST = 3;
  private static final int LABEL_DEGREES = 60;
  private static final Font LABELS = new Font(Font.SANS_SERIF, Font.PLAIN, 10);
  private static final Font TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 12);

  /** What is further apart than this is drawn along a logarithmic axis. */
  private static final double FAR_APART = 50;

  private ComparisonPicture() {}

  /** Writes NAME.png; nothing for a table without numbers. */
  static void write(Comparison table, Path directory) throws IOException {
    List<CategoryChart> charts = new ArrayList<>();
    for (int i = 0; i < table.columns().size(); i++) {
      CategoryChart chart = chart(table, i);
      if (!chart.getSeriesMap().isEmpty()) {
        charts.add(chart);
      }
    }
    if (charts.isEmpty()) {
      return;
    }
    int abreast = Math.min(CHARTS_ABREAST, charts.size());
    int below = (charts.size() + abreast - 1) / abreast;
    String file = directory.resolve(table.name()).toString();
    BitmapEncoder.saveBitmap(charts, below, abreast, file, BitmapFormat.PNG);
  }

  private static CategoryChart chart(Comparison table, int at) {
    Column column = table.columns().get(at);
    CategoryChart chart = new CategoryChartBuilder().width(WIDTH).height(HEIGHT).build();
    chart.setTitle(column.title());
    chart.setYAxisTitle(column.unit());
    List<Double> all = new ArrayList<>();
    for (String metric : column.metrics()) {
      all.addAll(addBars(chart, table, at, metric));
    }
    style(chart.getStyler(), all, column.metrics().size() > 1);
    return chart;
  }

  /** Of the rows that have a number for the metric. */
  private static List<Double> addBars(
      CategoryChart chart, Comparison table, int at, String metric) {
    List<String> rows = new ArrayList<>();
    List<Double> means = new ArrayList<>();
    List<Double> halfWidths = new ArrayList<>();
    for (Comparison.Row row : table.rows()) {
      Interval interval = row.cells().get(at).intervals().get(metric);
      if (interval != null && Double.isFinite(interval.mean())) {
        rows.add(row.name());
        means.add(interval.mean());
        halfWidths.add(Double.isFinite(interval.halfWidth()) ? interval.halfWidth() : 0);
      }
    }
    if (!rows.isEmpty()) {
      chart.addSeries(metric, rows, means, halfWidths);
    }
    return means;
  }

  private static void style(CategoryStyler styler, Collection<Double> means, boolean isSeveral) {
    double least = means.stream().mapToDouble(Double::doubleValue).min().orElse(0);
    double most = means.stream().mapToDouble(Double::doubleValue).max().orElse(0);
    if (least > 0 && most > FAR_APART * least) {
      styler.setYAxisLogarithmic(true);
    } else {
      styler.setYAxisMin(0.0);
    }
    styler.setXAxisLabelRotation(LABEL_DEGREES);
    styler.setAxisTickLabelsFont(LABELS);
    styler.setChartTitleFont(TITLE);
    styler.setChartBackgroundColor(Color.WHITE);
    styler.setLegendVisible(isSeveral);
    styler.setLegendPosition(LegendPosition.InsideNE);
  }
}

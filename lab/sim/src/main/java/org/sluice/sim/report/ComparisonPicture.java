// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.CategoryStyler;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.sluice.sim.scenario.plan.TableSpec.Column;

/** Draws a table: for each column a chart, with a bar and its confidence interval for each row. */
final class ComparisonPicture {
  private static final int WIDTH = 460;
  private static final int HEIGHT = 320;
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
    ImageIO.write(drawn(charts), "png", directory.resolve(table.name() + ".png").toFile());
  }

  private static BufferedImage drawn(List<CategoryChart> charts) {
    int abreast = Math.min(CHARTS_ABREAST, charts.size());
    int below = (charts.size() + abreast - 1) / abreast;
    BufferedImage picture =
        new BufferedImage(abreast * WIDTH, below * HEIGHT, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = picture.createGraphics();
    graphics.setColor(Color.WHITE);
    graphics.fillRect(0, 0, picture.getWidth(), picture.getHeight());
    for (int i = 0; i < charts.size(); i++) {
      BufferedImage chart = BitmapEncoder.getBufferedImage(charts.get(i));
      graphics.drawImage(chart, i % abreast * WIDTH, i / abreast * HEIGHT, null);
    }
    graphics.dispose();
    return picture;
  }

  private static CategoryChart chart(Comparison table, int at) {
    Column column = table.columns().get(at);
    CategoryChart chart = new CategoryChartBuilder().width(WIDTH).height(HEIGHT).build();
    chart.setTitle(column.title());
    chart.setYAxisTitle(column.unit());
    double[] means = means(table, at);
    boolean isFarApart = means.length > 0 && means[0] > 0 && most(means) > FAR_APART * means[0];
    for (String metric : column.metrics()) {
      addBars(chart, table, at, metric, !isFarApart);
    }
    CategoryStyler styler = chart.getStyler();
    if (isFarApart) {
      styler.setYAxisLogarithmic(true);
      styler.setYAxisMin(Math.pow(10, Math.floor(Math.log10(means[0] / 2))));
    } else {
      styler.setYAxisMin(0.0);
    }
    style(styler, column.metrics().size() > 1);
    return chart;
  }

  /** All of a column, from the least on. */
  private static double[] means(Comparison table, int at) {
    return table.rows().stream()
        .flatMap(row -> row.cells().get(at).intervals().values().stream())
        .mapToDouble(Interval::mean)
        .filter(Double::isFinite)
        .sorted()
        .toArray();
  }

  private static double most(double[] sorted) {
    return sorted[sorted.length - 1];
  }

  /**
   * Of the rows that have a number for the metric. XChart does not draw intervals along a
   * logarithmic axis to scale.
   */
  private static void addBars(
      CategoryChart chart, Comparison table, int at, String metric, boolean withIntervals) {
    List<String> rows = new ArrayList<>();
    List<Double> means = new ArrayList<>();
    List<Double> halfWidths = new ArrayList<>();
    for (Comparison.Row row : table.rows()) {
      Interval interval = row.cells().get(at).intervals().get(metric);
      if (interval != null && Double.isFinite(interval.mean())) {
        rows.add(row.name());
        means.add(interval.mean());
        halfWidths.add(interval.halfWidth() > 0 ? interval.halfWidth() : 0);
      }
    }
    if (!rows.isEmpty()) {
      chart.addSeries(metric, rows, means, withIntervals ? halfWidths : null);
    }
  }

  private static void style(CategoryStyler styler, boolean isSeveral) {
    styler.setXAxisLabelRotation(LABEL_DEGREES);
    styler.setAxisTickLabelsFont(LABELS);
    styler.setChartTitleFont(TITLE);
    styler.setChartBackgroundColor(Color.WHITE);
    styler.setLegendVisible(isSeveral);
    styler.setLegendPosition(LegendPosition.OutsideS);
    styler.setLegendLayout(LegendLayout.Horizontal);
  }
}

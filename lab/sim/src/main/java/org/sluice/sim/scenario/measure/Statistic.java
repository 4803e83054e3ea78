// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import java.util.Arrays;

/**
 * Makes one number of many. Percentiles are the least value that so many percent of the values do
 * not exceed.
 */
public final class Statistic {
  private final String name;
  private final double percentile;

  private Statistic(String name, double percentile) {
    this.name = name;
    this.percentile = percentile;
  }

  /** By its name in a scenario: mean, sum, min, max, stddev, p50, p99.9 ... */
  public static Statistic named(String name) {
    boolean isPercentile = name.matches("p\\d.*");
    return new Statistic(name, isPercentile ? Double.parseDouble(name.substring(1)) : Double.NaN);
  }

  /** NaN of no values. */
  public double of(double[] values) {
    if (values.length == 0) {
      return Double.NaN;
    }
    return switch (name) {
      case "mean" -> mean(values);
      case "sum" -> Arrays.stream(values).sum();
      case "min" -> Arrays.stream(values).min().orElseThrow();
      case "max" -> Arrays.stream(values).max().orElseThrow();
      case "stddev" -> deviation(values);
      default -> percentile(values);
    };
  }

  /** The same of whole numbers from 0, given how often each occurs. */
  double ofCounts(long[] counts) {
    long total = Arrays.stream(counts).sum();
    if (total == 0) {
      return Double.NaN;
    }
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < counts.length; i++) {
      sum += (double) i * counts[i];
      squares += (double) i * i * counts[i];
    }
    return switch (name) {
      case "sum" -> sum;
      case "mean" -> sum / total;
      case "stddev" -> Math.sqrt(Math.max(0, squares / total - sum / total * (sum / total)));
      case "min" -> rank(counts, 1);
      case "max" -> rank(counts, total);
      default -> rank(counts, rankOf(total));
    };
  }

  private static int rank(long[] counts, long rank) {
    long seen = counts[0];
    int value = 0;
    while (seen < rank) {
      seen += counts[++value];
    }
    return value;
  }

  private double percentile(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[(int) rankOf(sorted.length) - 1];
  }

  private long rankOf(long total) {
    return Math.max(1, (long) Math.ceil(percentile / 100 * total));
  }

  private static double mean(double[] values) {
    return Arrays.stream(values).sum() / values.length;
  }

  private static double deviation(double[] values) {
    double mean = mean(values);
    return Math.sqrt(Arrays.stream(values).map(v -> (v - mean) * (v - mean)).sum() / values.length);
  }
}

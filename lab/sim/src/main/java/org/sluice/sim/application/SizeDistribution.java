// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.application;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Sizes of flows: a cumulative distribution given by points, linear between them. A first point
 * with a share above 0 is an atom, and so are two points of one size.
 */
public final class SizeDistribution {
  private static final double SHARE_ROUNDING = 1e-9;

  private final double[] sizes;
  private final double[] shares;

  private SizeDistribution(double[] sizes, double[] shares) {
    this.sizes = sizes;
    this.shares = shares;
  }

  /** All have one size, bytes; at least 1. */
  public static SizeDistribution constant(long bytes) {
    return ofPoints(new double[] {bytes}, new double[] {1});
  }

  /**
   * By points.
   *
   * @param sizesBytes not below 0, never falling
   * @param cumulativeShares of flows up to that size: never falling, ending with 1
   * @throws IllegalArgumentException naming the point that breaks these rules
   */
  public static SizeDistribution ofPoints(double[] sizesBytes, double[] cumulativeShares) {
    int count = sizesBytes.length;
    require(count > 0, "a size distribution needs at least one point");
    require(
        count == cumulativeShares.length,
        "there are " + count + " sizes, but " + cumulativeShares.length + " shares");
    for (int i = 0; i < count; i++) {
      String point = "point " + (i + 1) + " (" + sizesBytes[i] + ", " + cumulativeShares[i] + "): ";
      double lastSize = i == 0 ? 0 : sizesBytes[i - 1];
      double lastShare = i == 0 ? 0 : cumulativeShares[i - 1];
      require(sizesBytes[i] >= lastSize, point + "its size must be at least " + lastSize);
      require(
          cumulativeShares[i] >= lastShare && cumulativeShares[i] <= 1 + SHARE_ROUNDING,
          point + "its share must be " + lastShare + " to 1");
    }
    require(
        Math.abs(cumulativeShares[count - 1] - 1) <= SHARE_ROUNDING,
        "the last share must be 1, not " + cumulativeShares[count - 1]);
    return new SizeDistribution(sizesBytes.clone(), cumulativeShares.clone());
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  /** Web search: Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, figure 4. */
  public static SizeDistribution webSearch() {
    return bundled("web-search.cdf");
  }

  /** Data mining: Greenberg et al., "VL2", SIGCOMM 2009, figure 2. */
  public static SizeDistribution dataMining() {
    return bundled("data-mining.cdf");
  }

  private static SizeDistribution bundled(String name) {
    try (InputStream in = SizeDistribution.class.getResourceAsStream(name)) {
      return read(new InputStreamReader(in, StandardCharsets.UTF_8), name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads points from text: a line each, bytes and cumulative share, white space between; what
   * follows {@code #} is a comment.
   *
   * @param name for messages
   * @throws IllegalArgumentException naming the line that is no point
   */
  public static SizeDistribution read(Reader text, String name) throws IOException {
    double[] sizes = new double[16];
    double[] shares = new double[16];
    int count = 0;
    BufferedReader lines = new BufferedReader(text);
    int number = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      number++;
      String content = line.replaceFirst("#.*", "").strip();
      if (content.isEmpty()) {
        continue;
      }
      if (count == sizes.length) {
        sizes = Arrays.copyOf(sizes, count * 2);
        shares = Arrays.copyOf(shares, count * 2);
      }
      String[] words = content.split("\\s+");
      try {
        require(words.length == 2, "two numbers are needed");
        sizes[count] = Double.parseDouble(words[0]);
        shares[count] = Double.parseDouble(words[1]);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            name + ", line " + number + ": write bytes and cumulative share, not: " + content, e);
      }
      count++;
    }
    return ofPoints(Arrays.copyOf(sizes, count), Arrays.copyOf(shares, count));
  }

  /** A size, bytes; at least 1. */
  public long next(SplittableRandom random) {
    return Math.max(1, Math.round(quantile(random.nextDouble())));
  }

  /** The size, bytes, that a share of flows does not exceed. */
  public double quantile(double share) {
    int above = 0;
    while (above < shares.length - 1 && shares[above] < share) {
      above++;
    }
    if (above == 0) {
      return sizes[0];
    }
    double step = shares[above] - shares[above - 1];
    double part = step == 0 ? 0 : (share - shares[above - 1]) / step;
    return sizes[above - 1] + Math.min(1, part) * (sizes[above] - sizes[above - 1]);
  }

  /** The mean size, bytes. */
  public double meanBytes() {
    double mean = sizes[0] * shares[0];
    for (int i = 1; i < sizes.length; i++) {
      mean += (shares[i] - shares[i - 1]) * (sizes[i] + sizes[i - 1]) / 2;
    }
    return mean;
  }
}

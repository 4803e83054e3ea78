// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.application;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.StringReader;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import org.junit.jupiter.api.Test;

/** Sizes follow their points. */
class SizeDistributionTest {
  private static final double[] SIZES = {0, 10_000, 100_000, 10_000_000};
  private static final double[] SHARES = {0, 0.5, 0.9, 1};

  private final SizeDistribution mixed = SizeDistribution.ofPoints(SIZES, SHARES);

  @Test
  void isLinearBetweenPoints() {
    assertThat(mixed.quantile(0)).isEqualTo(0);
    assertThat(mixed.quantile(0.25)).isEqualTo(5_000);
    assertThat(mixed.quantile(0.5)).isEqualTo(10_000);
    assertThat(mixed.quantile(0.7)).isCloseTo(55_000, within(1e-6));
    assertThat(mixed.quantile(1)).isEqualTo(10_000_000);
    assertThat(mixed.meanBytes())
        .isCloseTo(0.5 * 5_000 + 0.4 * 55_000 + 0.1 * 5_050_000, within(1e-6));
  }

  @Property(tries = 200)
  void neverFalls(
      @ForAll @DoubleRange(min = 0, max = 1) double one,
      @ForAll @DoubleRange(min = 0, max = 1) double other) {
    assertThat(mixed.quantile(Math.min(one, other)))
        .isLessThanOrEqualTo(mixed.quantile(Math.max(one, other)));
  }

  @Test
  void drawsHaveItsMeanAndProportions() {
    SplittableRandom random = new SplittableRandom(3);
    int draws = 200_000;
    double sum = 0;
    int small = 0;
    for (int i = 0; i < draws; i++) {
      long drawn = mixed.next(random);
      assertThat(drawn).isBetween(1L, 10_000_000L);
      sum += drawn;
      small += drawn <= 10_000 ? 1 : 0;
    }
    assertThat(sum / draws).isCloseTo(mixed.meanBytes(), within(0.01 * mixed.meanBytes()));
    assertThat((double) small / draws).isCloseTo(0.5, within(0.005));
  }

  @Test
  void aPointMayBeAnAtom() {
    SizeDistribution atoms =
        SizeDistribution.ofPoints(new double[] {100, 200, 200}, new double[] {0.4, 0.4, 1});
    assertThat(atoms.quantile(0.4)).isEqualTo(100);
    assertThat(atoms.quantile(0.41)).isEqualTo(200);
    assertThat(atoms.meanBytes()).isEqualTo(0.4 * 100 + 0.6 * 200);
    assertThat(SizeDistribution.constant(11_500).next(new SplittableRandom(1))).isEqualTo(11_500);
  }

  @Test
  void publishedTablesExist() {
    // Web search: more than nine tenths of the bytes are in the third of flows above 1 MB.
    assertThat(SizeDistribution.webSearch().quantile(0.53)).isEqualTo(80_000);
    assertThat(SizeDistribution.webSearch().meanBytes()).isBetween(1.6e6, 1.8e6);
    assertThat(SizeDistribution.dataMining().quantile(0.5)).isEqualTo(1_100);
    assertThat(SizeDistribution.dataMining().meanBytes()).isBetween(12e6, 14e6);
  }

  @Test
  void readsText() throws IOException {
    SizeDistribution read =
        SizeDistribution.read(new StringReader("# sizes\n\n1000 0.5 # half\n 2000\t1\n"), "sizes");
    assertThat(read.quantile(0.75)).isEqualTo(1_500);
  }

  @Test
  void rejectsInvalidDistributions() {
    refused("1000 0.5\n2000\n", "sizes, line 2: write bytes and cumulative share, not: 2000");
    refused("1000 half\n", "sizes, line 1");
    refused("1000 0.5\n500 1\n", "point 2 (500.0, 1.0): its size must be at least 1000.0");
    refused("1000 0.5\n2000 0.4\n", "point 2 (2000.0, 0.4): its share must be 0.5 to 1");
    refused("1000 0.5\n", "the last share must be 1, not 0.5");
    refused("", "a size distribution needs at least one point");
  }

  private static void refused(String text, String message) {
    assertThatThrownBy(() -> SizeDistribution.read(new StringReader(text), "sizes"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}

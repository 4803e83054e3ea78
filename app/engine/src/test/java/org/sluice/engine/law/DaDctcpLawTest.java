// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class DaDctcpLawTest {
  private static final long GIGABIT = 1_000_000_000L;
  private static final long MICRO = 1_000L;
  private static final long MILLI = 1_000_000L;

  /** 1 Gb/s, 840 us: 70 packets of 1500 bytes in flight; K = 20. */
  @Test
  void gainAndThresholdBoundsMatchExamples() {
    assertThat(DaDctcpLaw.gainBound(GIGABIT, 840 * MICRO, 20, 1500))
        .isCloseTo(1.386 / Math.sqrt(180), within(1e-12));
    assertThat(DaDctcpLaw.leastThresholdPackets(GIGABIT, 840 * MICRO, 1500))
        .isCloseTo(10, within(1e-12));
    assertThat(DaDctcpLaw.upperThresholdPackets(20, 200)).isEqualTo(40);
    assertThat(DaDctcpLaw.upperThresholdPackets(20, 30)).as("K2 <= buffer").isEqualTo(30);
  }

  /** Two packets more than one serialisation of 12 us before. */
  @Test
  void slopeMatchesExamples() {
    assertThat(DaDctcpLaw.slope(22, 20, 12 * MICRO)).isCloseTo(2 / 12e-6, within(1e-6));
    assertThat(DaDctcpLaw.slope(19, 20, 12 * MICRO)).isNegative();
    assertThat(DaDctcpLaw.average(8, 16, DaDctcpLaw.AVERAGING_WEIGHT)).isEqualTo(9);
  }

  @Test
  void betweenTheThresholdsOnlyAGrowingQueueIsMarked() {
    assertThat(DaDctcpLaw.marks(20, 20, 40, 1)).as("q = K1").isFalse();
    assertThat(DaDctcpLaw.marks(21, 20, 40, 1)).isTrue();
    assertThat(DaDctcpLaw.marks(21, 20, 40, 0)).isFalse();
    assertThat(DaDctcpLaw.marks(39, 20, 40, -1)).isFalse();
    assertThat(DaDctcpLaw.marks(40, 20, 40, -1)).as("q = K2").isTrue();
    assertThat(DaDctcpLaw.marks(3, 20, 40, 1e9)).as("however steep").isFalse();
  }

  @Test
  void factorMatchesItsFourCases() {
    assertThat(DaDctcpLaw.factor(0.79, 0)).isEqualTo(0.5);
    assertThat(DaDctcpLaw.factor(0.79, 0.01)).as("within the dead zone").isEqualTo(0.5);
    assertThat(DaDctcpLaw.factor(0.79, 0.3)).isEqualTo(1);
    assertThat(DaDctcpLaw.factor(0.8, -0.3)).isEqualTo(1);
    assertThat(DaDctcpLaw.factor(0.8, 0.3)).isEqualTo(1.3);
    assertThat(DaDctcpLaw.factor(0.9, 7)).isEqualTo(2);
  }

  /** RTprop 1 ms, full queues 0.5 ms: 1.2 ms are 0.8 of the longest round trip. */
  @Test
  void trendMatchesExamples() {
    RoundTripTrend trend = new RoundTripTrend(500 * MICRO);
    assertThat(trend.factor()).as("nothing is known").isEqualTo(1);
    trend.sample(1_200 * MICRO);
    assertThat(trend.factor()).as("the first is the least: 1.2 of 1.7 ms").isEqualTo(0.5);
    trend.sample(1_000 * MICRO);
    assertThat(trend.gradient()).isCloseTo(-0.2 / 8, within(1e-12));
    assertThat(trend.utilisation()).isCloseTo(2 / 3.0, within(1e-12));
    trend.sample(1_200 * MICRO);
    assertThat(trend.gradient()).isCloseTo((-0.2 / 8) * 7 / 8 + 0.2 / 8, within(1e-12));
    assertThat(trend.utilisation()).isCloseTo(0.8, within(1e-12));
    assertThat(trend.factor()).as("full, and 0.003 is no trend").isEqualTo(1);
    trend.sample(1_400 * MICRO);
    assertThat(trend.factor()).isEqualTo(1 + trend.gradient());
    trend.sample(0);
    assertThat(trend.utilisation()).as("no round trip").isCloseTo(1.4 / 1.5, within(1e-12));
    trend.reset();
    assertThat(trend.utilisation()).isZero();
    assertThatThrownBy(() -> new RoundTripTrend(-1)).hasMessageContaining("queueBoundNanos");
  }

  /** Roots 4, 2, 0 of 16, 4, 0 packets: 20 packets are 13 1/3, 6 2/3 and none. */
  @Test
  void budgetIsDividedBySquareRoots() {
    double[] thresholds = {7, 4, 9};
    new ThresholdDivision(1, 100)
        .divide(new int[] {16, 4, 0}, new double[] {16, 4, 0}, thresholds, 20);
    // The third keeps 1, which the first gives: it has the largest slack.
    assertThat(thresholds[0]).isCloseTo(40 / 3.0 - 1, within(1e-12));
    assertThat(thresholds[1]).isCloseTo(20 / 3.0, within(1e-12));
    assertThat(thresholds[2]).isEqualTo(1);
  }

  @Test
  void divisionDoesNotMarkUnmarkedBacklog() {
    // By roots of 100 and 4: 16 2/3 and 3 1/3, but 4 packets wait below 10.
    double[] thresholds = {10, 10};
    new ThresholdDivision(1, 100).divide(new int[] {100, 4}, new double[] {100, 4}, thresholds, 20);
    assertThat(thresholds[0]).isCloseTo(16, within(1e-12));
    assertThat(thresholds[1]).isEqualTo(4);
  }

  /** By what waited over a while, 9 and 1, it is 15 and 5; but 6 wait unmarked in the second. */
  @Test
  void averageLengthsDivideAndPresentLengthsBound() {
    double[] thresholds = {10, 10};
    new ThresholdDivision(1, 100).divide(new int[] {0, 6}, new double[] {9, 1}, thresholds, 20);
    assertThat(thresholds).containsExactly(14, 6);
  }

  @Test
  void remainderOfABoundedThresholdGoesToOthers() {
    double[] thresholds = {1, 1, 1};
    new ThresholdDivision(1, 15)
        .divide(new int[] {50, 0, 0}, new double[] {50, 0, 0}, thresholds, 20);
    assertThat(thresholds).containsExactly(15, 4, 1);
    new ThresholdDivision(1, 15)
        .divide(new int[] {0, 0, 0}, new double[] {0, 0, 0}, thresholds, 12);
    assertThat(thresholds).as("idle: all alike").containsExactly(4, 4, 4);
  }

  @Test
  void invalidDivisionIsRejected() {
    assertThatThrownBy(() -> new ThresholdDivision(0, 1)).hasMessageContaining("leastPackets");
    assertThatThrownBy(() -> new ThresholdDivision(2, 1)).hasMessageContaining("mostPackets");
    assertThatThrownBy(
            () -> new ThresholdDivision(1, 2).divide(new int[2], new double[2], new double[3], 9))
        .hasMessage("there are 2 queues, 2 lengths and 3 thresholds");
  }

  @Property
  void divisionKeepsBudgetAndBounds(
      @ForAll @Size(min = 1, max = 32) int @IntRange(max = 500) [] queues,
      @ForAll @DoubleRange(min = 1, max = 400) double perQueue) {
    double budget = perQueue * queues.length;
    double[] thresholds = new double[queues.length];
    Arrays.fill(thresholds, perQueue);
    double[] lengths = Arrays.stream(queues).asDoubleStream().toArray();
    ThresholdDivision division = new ThresholdDivision(0.5, 500);
    for (int round = 0; round < 3; round++) {
      double[] before = thresholds.clone();
      division.divide(queues, lengths, thresholds, budget);
      double sum = 0;
      for (int i = 0; i < queues.length; i++) {
        sum += thresholds[i];
        assertThat(thresholds[i]).isBetween(0.5, 500.0);
        if (queues[i] < before[i]) {
          assertThat(thresholds[i]).isGreaterThanOrEqualTo(queues[i] - 1e-9);
        }
      }
      assertThat(sum).isCloseTo(budget, within(1e-6 * budget));
    }
  }

  @Property
  void factorIsBoundedAndMonotonic(
      @ForAll @DoubleRange(min = 0, max = 3) double utilisation,
      @ForAll @DoubleRange(min = -5, max = 5) double gradient,
      @ForAll @DoubleRange(min = 0, max = 1) double more) {
    double factor = DaDctcpLaw.factor(utilisation, gradient);
    assertThat(factor).isBetween(0.5, 2.0);
    assertThat(DaDctcpLaw.factor(utilisation + more, gradient)).isGreaterThanOrEqualTo(factor);
    assertThat(DaDctcpLaw.factor(utilisation, gradient + more)).isGreaterThanOrEqualTo(factor);
  }

  @Property
  void trendIsFiniteForAllMeasurements(
      @ForAll @Size(max = 50) long @LongRange(min = -10, max = 60_000_000_000L) [] samples) {
    RoundTripTrend trend = new RoundTripTrend(MILLI);
    for (long sample : samples) {
      trend.sample(sample);
      assertThat(trend.gradient()).isFinite();
      assertThat(trend.factor()).isBetween(0.5, 2.0);
    }
  }
}

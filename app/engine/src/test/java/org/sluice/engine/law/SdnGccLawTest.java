// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.sluice.engine.law.SdnGccLaw.Split;

class SdnGccLawTest {

  private static double[] divide(Split split, double alpha, double[] rates, double[] weights) {
    double[] marks = new double[rates.length];
    SdnGccLaw.divide(split, alpha, rates.length, rates, weights, marks);
    return marks;
  }

  @Test
  void equalSplitIsAlphaOverBeta() {
    double[] marks =
        divide(Split.EQUAL, 20, new double[] {9e6, 1e6, 0, 5e6}, new double[] {1, 1, 1, 4});
    assertThat(marks).containsExactly(5, 5, 5, 5);
  }

  @Test
  void proportionalSplitIsByRateOverWeight() {
    // 40/2 : 20/1 : 10/1 = 2 : 2 : 1
    double[] marks =
        divide(Split.PROPORTIONAL, 20, new double[] {40e6, 20e6, 10e6}, new double[] {2, 1, 1});
    assertThat(marks).containsExactly(8, 8, 4);
  }

  @Test
  void proportionalSplitWithoutRatesIsEqual() {
    double[] marks = divide(Split.PROPORTIONAL, 6, new double[] {0, 0, 0}, new double[] {1, 2, 3});
    assertThat(marks).containsExactly(2, 2, 2);
  }

  @Test
  void readsOnlyTheLeadingElements() {
    double[] marks = {-1, -1, -1};
    SdnGccLaw.divide(
        Split.PROPORTIONAL, 4, 2, new double[] {1, 1, 9}, new double[] {1, 1, 1}, marks);
    assertThat(marks).containsExactly(2, 2, -1);
  }

  @Test
  void recoveryIsBoundedByTheShareOfTheNic() {
    assertThat(SdnGccLaw.recoveryBound(100e6, 1, 4, 0, 0)).isEqualTo(25e6);
    assertThat(SdnGccLaw.recoveryBound(100e6, 3, 4, 0, 0)).isEqualTo(75e6);
  }

  @Test
  void recoveryIsBoundedByTheCeilingButNotUnderTheGuarantee() {
    assertThat(SdnGccLaw.recoveryBound(100e6, 1, 2, 0, 30e6)).isEqualTo(30e6);
    assertThat(SdnGccLaw.recoveryBound(100e6, 1, 10, 20e6, 30e6)).isEqualTo(20e6);
  }

  @Test
  void recoveryIsBoundedByTheNicBeforeTheEndpointIsCounted() {
    assertThat(SdnGccLaw.recoveryBound(100e6, 2, 1, 0, 0)).isEqualTo(100e6);
  }

  @Property
  void partsSumToAlphaAndAreNotNegative(
      @ForAll Split split,
      @ForAll @IntRange(min = 1, max = 100_000) int alpha,
      @ForAll @Size(min = 1, max = 50) List<@DoubleRange(min = 0, max = 1e11) Double> sources) {
    double[] rates = sources.stream().mapToDouble(Double::doubleValue).toArray();
    double[] weights = new double[rates.length];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = 1 + i % 7;
    }
    double[] marks = divide(split, alpha, rates, weights);
    assertThat(Arrays.stream(marks).sum()).isCloseTo(alpha, within(1e-6 * alpha));
    assertThat(Arrays.stream(marks).min().getAsDouble()).isNotNegative();
  }
}

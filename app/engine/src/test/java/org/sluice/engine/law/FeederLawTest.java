// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class FeederLawTest {
  private static final long EDGE = 5_000_000L;

  @Test
  void capsMatchExamples() {
    assertThat(FeederLaw.capBitsPerSecond(EDGE, 0, 1, 1, 0, 1)).as("all of it").isEqualTo(EDGE);
    assertThat(FeederLaw.capBitsPerSecond(EDGE, 1e6, 1, 4, 0, 1)).isEqualTo(1_000_000);
    assertThat(FeederLaw.capBitsPerSecond(EDGE, 1e6, 3, 4, 2 / 3.0, 3 / 4.0)).isEqualTo(2_250_000);
    assertThat(FeederLaw.capBitsPerSecond(EDGE, 5e6, 1, 2, 1, 1))
        .as("the micro queue has priority over half of the port alone")
        .isEqualTo(EDGE / 8);
  }

  /** Each number is how many flows come by a feeder. */
  @Property
  void capsOfFeedersFitTheResidualCapacity(
      @ForAll @LongRange(min = 1_000, max = 400_000_000_000L) long bandwidth,
      @ForAll @DoubleRange(min = 0, max = 2) double microPart,
      @ForAll @Size(min = 1, max = 64) List<@IntRange(min = 1, max = 10_000) Integer> flows,
      @ForAll @DoubleRange(min = 0, max = 1) double alpha,
      @ForAll @DoubleRange(min = 0, max = 1) double beta) {
    int all = 0;
    for (int each : flows) {
      all += each;
    }
    double together = 0;
    for (int each : flows) {
      long cap =
          FeederLaw.capBitsPerSecond(bandwidth, microPart * bandwidth, each, all, alpha, beta);
      assertThat((double) cap)
          .isGreaterThanOrEqualTo(Math.max(1, Math.floor(bandwidth / 4.0 * each / all)));
      together += cap;
    }
    double left = bandwidth * (1 - Math.min(microPart, 0.5));
    assertThat(together).isLessThanOrEqualTo(left * (1 + 1e-9) + flows.size());
  }
}

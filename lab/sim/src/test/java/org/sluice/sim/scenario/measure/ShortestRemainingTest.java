// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.sluice.sim.scenario.measure.ShortestRemaining.Transfer;

class ShortestRemainingTest {
  private static double[] durations(Transfer... transfers) {
    return ShortestRemaining.durationsNanos(List.of(transfers));
  }

  @Test
  void singleTransferTakesItsTransmissionTime() {
    assertThat(durations(new Transfer(50, 0, 1, 100))).containsExactly(100);
    assertThat(durations()).isEmpty();
  }

  @Test
  void shorterTransferPreempts() {
    assertThat(durations(new Transfer(0, 0, 1, 100), new Transfer(10, 0, 2, 30)))
        .containsExactly(130, 30);
    assertThat(durations(new Transfer(0, 0, 1, 100), new Transfer(90, 2, 1, 30)))
        .as("10 are left of the first when the second comes")
        .containsExactly(100, 40);
  }

  /** 0 to 1 and 2 to 3 go at once; 0 to 3, the longest, waits for both. */
  @Test
  void idleEndpointsSend() {
    assertThat(
            durations(
                new Transfer(0, 0, 1, 10), new Transfer(0, 2, 3, 20), new Transfer(0, 0, 3, 50)))
        .containsExactly(10, 20, 70);
  }

  /** On one port the mean is the least that there is: each waits for all that are shorter. */
  @Test
  void sumsAtOnePortAreExact() {
    SplittableRandom random = new SplittableRandom(7);
    List<Transfer> transfers = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      transfers.add(new Transfer(0, i + 1, 0, 1 + random.nextInt(1_000)));
    }
    double[] durations = ShortestRemaining.durationsNanos(transfers);
    List<Double> sorted = new ArrayList<>();
    transfers.forEach(each -> sorted.add(each.nanos()));
    sorted.sort(null);
    double expected = 0;
    double sum = 0;
    for (double each : sorted) {
      sum += each;
      expected += sum;
    }
    double found = 0;
    for (double each : durations) {
      found += each;
    }
    assertThat(found).isCloseTo(expected, within(1e-3));
  }
}

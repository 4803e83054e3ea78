// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** How much of what passes a port is marked: as its switch reports, else as it is estimated. */
class MarkedPartTest {
  private static final long PERIOD_NANOS = 5_000_000L;

  private final MarkedPart part = new MarkedPart();
  private long now = 1;

  private void update(double reported, double estimated) {
    part.update(reported, estimated, now);
    now += PERIOD_NANOS;
  }

  @Test
  void isUnknownBeforeTheFirstEvaluation() {
    assertThat(part.part()).isEqualTo(MarkedPart.UNKNOWN);
    update(MarkedPart.UNKNOWN, MarkedPart.UNKNOWN);
    assertThat(part.part()).isEqualTo(MarkedPart.UNKNOWN);
    assertThat(part.exact()).isEqualTo(MarkedPart.UNKNOWN);
  }

  @Test
  void isTheEstimateWithoutReports() {
    update(MarkedPart.UNKNOWN, 0.3);
    assertThat(part.part()).isEqualTo(0.3);
    update(MarkedPart.UNKNOWN, 0);
    assertThat(part.part()).as("known to mark nothing").isZero();
    assertThat(part.exact()).isEqualTo(MarkedPart.UNKNOWN);
  }

  /** The first report holds as it is; later ones move it by 1 - exp(-5/100). */
  @Test
  void reportOfThePortTakesPrecedenceAndIsAveraged() {
    update(0.2, 0.9);
    assertThat(part.part()).isEqualTo(0.2);
    update(0.4, 0.9);
    assertThat(part.part()).isCloseTo(0.4 - 0.2 * Math.exp(-0.05), within(1e-9));
    assertThat(part.exact()).isEqualTo(part.part());
    update(MarkedPart.UNKNOWN, 0.9);
    assertThat(part.part()).as("estimated again").isEqualTo(0.9);
    update(0.3, 0.9);
    assertThat(part.part()).as("reported anew").isEqualTo(0.3);
  }

  /** After 100 ms what was before counts for 1/e. */
  @Test
  void reportsExpireAfterATenthOfASecond() {
    update(1, MarkedPart.UNKNOWN);
    for (int i = 0; i < 20; i++) {
      update(0, MarkedPart.UNKNOWN);
    }
    assertThat(part.part()).isCloseTo(Math.exp(-1), within(1e-9));
  }
}

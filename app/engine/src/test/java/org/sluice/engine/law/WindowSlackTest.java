// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class WindowSlackTest {
  private static final long MILLI = 1_000_000;
  private static final long THRESHOLD = 12_000;
  private static final double CAPACITY = 6e6;

  private final WindowSlack slack = new WindowSlack();
  private double delivered;
  private long now;

  /** So many milliseconds with a queue, while a part of the capacity passes. */
  private double after(int millis, long backlog, double part) {
    for (int i = 0; i < millis; i++) {
      now += MILLI;
      delivered += part * CAPACITY / 1000;
      slack.update(backlog, THRESHOLD, delivered, CAPACITY, now);
    }
    return slack.bytes();
  }

  @Test
  void growsByAThresholdIn40MillisecondsBesideAnEmptyQueue() {
    after(21, 0, 0.7); // until it is known that much passes
    double before = slack.bytes();
    assertThat(after(40, 0, 0.7) - before).isCloseTo(THRESHOLD, within(1.0));
  }

  @Test
  void growsHalfAsFastAtAQuarterOfTheThresholdAndNotAtHalf() {
    after(21, THRESHOLD / 2, 0.7);
    assertThat(slack.bytes()).isZero();
    assertThat(after(40, THRESHOLD / 4, 0.7)).isCloseTo(THRESHOLD / 2.0, within(1.0));
    double before = slack.bytes();
    assertThat(after(100, THRESHOLD / 2, 0.7)).isEqualTo(before);
  }

  @Test
  void isUnchangedAtLowLoad() {
    assertThat(after(500, 0, 0.2)).isZero();
  }

  @Test
  void isBoundedByTwoThresholds() {
    assertThat(after(1000, 0, 0.9)).isEqualTo(2.0 * THRESHOLD);
  }

  @Test
  void isBoundedByTheBuffer() {
    slack.setMost(THRESHOLD / 2.0);
    assertThat(after(1000, 0, 0.9)).isEqualTo(THRESHOLD / 2.0);
    slack.setMost(-THRESHOLD);
    assertThat(slack.bytes()).isZero();
  }

  @Test
  void shrinksByTheExcessOfTheQueue() {
    after(1000, 0, 0.9);
    double step = 2.0 * THRESHOLD / 40;
    assertThat(after(1, THRESHOLD + 5_000, 0.9))
        .isCloseTo(2.0 * THRESHOLD - step - 5_000, within(1.0));
    assertThat(after(20, THRESHOLD, 0.9))
        .isCloseTo(2.0 * THRESHOLD - 21 * step - 5_000, within(1.0));
    assertThat(after(100, THRESHOLD, 0.9)).isZero();
  }

  @Test
  void longIntervalBetweenEvaluationsIsCapped() {
    after(30, 0, 0.9);
    double before = slack.bytes();
    now += 10_000 * MILLI;
    delivered += 10 * CAPACITY;
    assertThat(after(1, 0, 0.9) - before).isCloseTo(THRESHOLD / 2.0, within(1.0));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** SED's equations, with the paper's numbers. */
class SedLawTest {
  private static final int PACKET_BYTES = 1500;
  private static final double GIGABIT = 1e9 / 8;
  private static final double ROUND_TRIP_NANOS = 200_000;

  /** Section 4: K = 30 packets, 1 Gbit/s, 200 us: "approximately 46.7". */
  @Test
  void totalWindowIsTheThresholdAndWhatThePathHolds() {
    double bytes = SedLaw.totalWindowBytes(30 * PACKET_BYTES, GIGABIT, ROUND_TRIP_NANOS);
    assertThat(bytes / PACKET_BYTES).isCloseTo(46.7, within(0.05));
  }

  /** Section 5.2: 8 MB due in 300 ms need 213 Mbit/s. */
  @Test
  void windowIsWhatTheDeadlineNeedsInARoundTrip() {
    double bytes = SedLaw.windowBytes(8e6, 300e6, ROUND_TRIP_NANOS);
    assertThat(bytes / ROUND_TRIP_NANOS * 8e3).isCloseTo(213.3, within(0.05));
  }

  @Test
  void congestionBeginsWithTheThreshold() {
    assertThat(SedLaw.isCongested(29 * PACKET_BYTES, 30 * PACKET_BYTES)).isFalse();
    assertThat(SedLaw.isCongested(30 * PACKET_BYTES, 30 * PACKET_BYTES)).isTrue();
  }
}

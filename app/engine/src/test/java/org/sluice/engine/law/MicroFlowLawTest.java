// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class MicroFlowLawTest {
  private static final long MEGABIT = 1_000_000L;
  private static final long MILLI = 1_000_000L;
  private static final long RTT = 29 * MILLI;

  /** The paper's edge link: 5 Mb/s and 29 ms are 18,125 bytes, of 54 KB of buffer. */
  @Test
  void capacityIsTheBandwidthDelayProductOrTheBuffer() {
    assertThat(MicroFlowLaw.capacityPackets(5 * MEGABIT, RTT, 1500, 36)).isEqualTo(12);
    assertThat(MicroFlowLaw.capacityPackets(100 * MEGABIT, RTT, 1500, 36))
        .as("241 packets, of which 36 fit")
        .isEqualTo(36);
    assertThat(MicroFlowLaw.capacityPackets(1000, RTT, 1500, 36)).isEqualTo(1);
  }

  @Test
  void thresholdLeavesSpaceForAPacketOfEachOtherPort() {
    assertThat(MicroFlowLaw.thresholdPackets(12, 4)).isEqualTo(9);
    assertThat(MicroFlowLaw.thresholdPackets(36, 4)).isEqualTo(33);
    assertThat(MicroFlowLaw.thresholdPackets(12, 48)).as("in print -35").isEqualTo(1);
  }

  /** qc 12, TH 9: ql 11 and a background queue of 3 in 12 take a quarter of 5 Mb/s. */
  @Test
  void algorithm1MatchesExamples() {
    double alpha = MicroFlowLaw.alpha(11, 9, 12);
    double beta = MicroFlowLaw.beta(3, 12);
    assertThat(alpha).isCloseTo(2 / 3.0, within(1e-12));
    assertThat(beta).isCloseTo(3 / 4.0, within(1e-12));
    assertThat(MicroFlowLaw.capBitsPerSecond(5 * MEGABIT, alpha, beta)).isEqualTo(3_750_000);
  }

  @Test
  void capIsTheWholeRateAtTheThresholdAndHalfAtCapacity() {
    double idle = MicroFlowLaw.beta(0, 12);
    assertThat(MicroFlowLaw.capBitsPerSecond(5 * MEGABIT, MicroFlowLaw.alpha(9, 9, 12), idle))
        .isEqualTo(5 * MEGABIT);
    assertThat(MicroFlowLaw.capBitsPerSecond(5 * MEGABIT, MicroFlowLaw.alpha(12, 9, 12), idle))
        .isEqualTo(2_500_000);
    assertThat(MicroFlowLaw.alpha(30, 9, 12)).as("more than qc waits").isEqualTo(1);
    assertThat(MicroFlowLaw.alpha(1, 1, 1)).as("no room between TH and qc").isEqualTo(1);
    assertThat(MicroFlowLaw.beta(40, 12)).as("more than qc waits").isZero();
  }

  @Test
  void longerQueueShortensTheInterval() {
    assertThat(interval(9)).isEqualTo(RTT);
    assertThat(interval(12)).isEqualTo(RTT * 3 / 4);
    assertThat(interval(6)).isEqualTo(RTT * 3 / 2);
    assertThat(interval(1)).as("in print 261 ms").isEqualTo(50 * MILLI);
    assertThat(interval(0)).as("in print a division by 0").isEqualTo(50 * MILLI);
    assertThat(interval(36)).as("in print 7 ms").isEqualTo(RTT / 2);
  }

  private static long interval(int packets) {
    return MicroFlowLaw.intervalNanos(packets, 9, RTT, RTT / 2, 50 * MILLI);
  }

  @Test
  void backgroundQueueAtTheThresholdIsNotCapped() {
    assertThat(MicroFlowLaw.mayCap(8, 9)).isTrue();
    assertThat(MicroFlowLaw.mayCap(9, 9)).isFalse();
    assertThat(MicroFlowLaw.isCongested(8, 9)).isFalse();
    assertThat(MicroFlowLaw.isCongested(9, 9)).isTrue();
  }

  @Test
  void invalidParametersAreRejectedByName() {
    assertThatThrownBy(() -> MicroFlowParameters.builder().timeoutNanos(0).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("timeoutNanos must be at least 1, not 0");
    assertThatThrownBy(() -> MicroFlowParameters.builder().roundTripNanos(200 * MILLI).build())
        .hasMessageContaining("longestIntervalNanos must be at least 100000000");
    assertThatThrownBy(() -> MicroFlowParameters.builder().levels(5).build())
        .hasMessage("levels must be at most 4, not 5");
  }

  @Property
  void capIsBetweenHalfAndAllOfTheRate(
      @ForAll @LongRange(min = 1, max = 400_000_000_000L) long bandwidth,
      @ForAll @IntRange(min = 0, max = 100_000) int queue,
      @ForAll @IntRange(min = 0, max = 100_000) int background,
      @ForAll @IntRange(min = 1, max = 10_000) int capacity,
      @ForAll @IntRange(min = 1, max = 128) int ports) {
    int threshold = MicroFlowLaw.thresholdPackets(capacity, ports);
    double alpha = MicroFlowLaw.alpha(queue, threshold, capacity);
    double beta = MicroFlowLaw.beta(background, capacity);
    assertThat(MicroFlowLaw.capBitsPerSecond(bandwidth, alpha, beta))
        .isBetween(MicroFlowLaw.floorBitsPerSecond(bandwidth), bandwidth)
        .isPositive();
  }

  @Property
  void capDecreasesAsTheMicroQueueGrows(
      @ForAll @IntRange(min = 0, max = 100) int queue,
      @ForAll @DoubleRange(min = 0, max = 1) double beta) {
    long shorter = MicroFlowLaw.capBitsPerSecond(MEGABIT, MicroFlowLaw.alpha(queue, 33, 36), beta);
    long longer =
        MicroFlowLaw.capBitsPerSecond(MEGABIT, MicroFlowLaw.alpha(queue + 1, 33, 36), beta);
    assertThat(longer).isLessThanOrEqualTo(shorter);
  }

  @Property
  void intervalIsBounded(
      @ForAll @IntRange(min = 0) int queue,
      @ForAll @IntRange(min = 1, max = 100_000) int threshold,
      @ForAll @LongRange(min = 2, max = 1_000_000_000L) long roundTrip,
      @ForAll @LongRange(min = 0, max = 10_000_000_000L) long more) {
    long longest = roundTrip / 2 + more;
    assertThat(MicroFlowLaw.intervalNanos(queue, threshold, roundTrip, roundTrip / 2, longest))
        .isBetween(roundTrip / 2, longest);
  }
}

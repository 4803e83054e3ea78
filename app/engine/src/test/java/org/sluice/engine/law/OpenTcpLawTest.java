// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class OpenTcpLawTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long GIGABIT = 1_000_000_000L;
  private static final double NONE = Double.POSITIVE_INFINITY;

  @Test
  void utilisationIsBytesOverCapacity() {
    // 87.5 MB in a second are 700 Mbit/s.
    assertThat(OpenTcpLaw.utilisation(87_500_000, SECOND, GIGABIT)).isCloseTo(0.7, within(1e-12));
    assertThat(OpenTcpLaw.utilisation(87_500_000, 60 * SECOND, 10 * GIGABIT))
        .isCloseTo(0.7 / 600, within(1e-12));
  }

  @Test
  void dropRateIsDropsOverArrivals() {
    assertThat(OpenTcpLaw.dropRate(1, 999)).isEqualTo(0.001);
    assertThat(OpenTcpLaw.dropRate(0, 0)).isZero();
    assertThat(OpenTcpLaw.dropRate(5, 0)).isEqualTo(1);
  }

  @Test
  void limitIsInclusive() {
    assertThat(OpenTcpLaw.isBelow(0.6999, 0.5, 0.7, NONE)).isTrue();
    assertThat(OpenTcpLaw.isBelow(0.7, 0, 0.7, NONE)).isFalse();
    assertThat(OpenTcpLaw.isBelow(0.6, 0.001, 0.7, 0.001)).isFalse();
    assertThat(OpenTcpLaw.isBelow(0.6, 0.00099, 0.7, 0.001)).isTrue();
  }

  @Test
  void unknownValueIsNotBelowALimit() {
    assertThat(OpenTcpLaw.isBelow(Double.NaN, 0, 0.7, NONE)).isFalse();
    assertThat(OpenTcpLaw.isBelow(0.1, Double.NaN, 0.7, 0.001)).isFalse();
    assertThat(OpenTcpLaw.isBelow(0.1, Double.NaN, 0.7, NONE)).isTrue();
  }

  @Test
  void countersMayWrapOrReset() {
    assertThat(OpenTcpLaw.advance(100, 150, 1000)).isEqualTo(50);
    assertThat(OpenTcpLaw.advance(0xffff_fff0L, 0x10, 1000)).isEqualTo(32);
    assertThat(OpenTcpLaw.advance(-16, 16, 1000)).as("unsigned, at 2^64").isEqualTo(32);
    assertThat(OpenTcpLaw.advance(5_000_000, 0, 1000)).isEqualTo(OpenTcpLaw.RESET);
    assertThat(OpenTcpLaw.advance(1L << 40, 7, 1000)).isEqualTo(OpenTcpLaw.RESET);
    assertThat(OpenTcpLaw.advance(0, 2000, 1000)).isEqualTo(OpenTcpLaw.RESET);
  }

  @Test
  void implausibleCounterIncreaseIsAReset() {
    // 125 MB, half as much again, and a megabyte.
    assertThat(OpenTcpLaw.mostBytes(GIGABIT, SECOND)).isEqualTo(187_500_000 + (1 << 20));
    assertThat(OpenTcpLaw.mostPackets(6400)).isEqualTo(101);
  }

  @Test
  void publishedLawUsesOneThresholdAndOneCycle() {
    assertThat(OpenTcpLaw.next(false, 1, true, true, 1)).isTrue();
    assertThat(OpenTcpLaw.next(false, 0, false, true, 1)).isFalse();
    assertThat(OpenTcpLaw.next(true, 1, false, true, 1)).isFalse();
    assertThat(OpenTcpLaw.next(true, 1, true, true, 1)).isTrue();
  }

  @Test
  void statesLastTheirMinimumCyclesExceptForConstraints() {
    assertThat(OpenTcpLaw.next(false, 2, true, true, 3)).isFalse();
    assertThat(OpenTcpLaw.next(false, 3, true, true, 3)).isTrue();
    assertThat(OpenTcpLaw.next(true, 2, false, true, 3)).isTrue();
    assertThat(OpenTcpLaw.next(true, 3, false, true, 3)).isFalse();
    assertThat(OpenTcpLaw.next(true, 1, true, false, 3)).isFalse();
  }

  @Property
  void counterIncreaseIsBounded(
      @ForAll long before,
      @ForAll long now,
      @ForAll @LongRange(min = 0, max = 1L << 60) long most) {
    long advance = OpenTcpLaw.advance(before, now, most);
    assertThat(advance == OpenTcpLaw.RESET || advance >= 0 && advance <= most).isTrue();
  }

  @Property
  void counterOf32BitsAgreesWithOneOf64Bits(
      @ForAll @LongRange(min = 0, max = 1L << 50) long before,
      @ForAll @LongRange(min = 0, max = 1L << 31) long more) {
    long mask = (1L << 32) - 1;
    assertThat(OpenTcpLaw.advance(before & mask, before + more & mask, 1L << 31)).isEqualTo(more);
  }

  /** Whoever carries and loses less is given no less. */
  @Property
  void lowerLoadEndsNoHint(
      @ForAll @DoubleRange(min = 0, max = 2) double utilisation,
      @ForAll @DoubleRange(min = 0, max = 1) double dropRate,
      @ForAll @DoubleRange(min = 0, max = 1) double lessOf,
      @ForAll boolean active,
      @ForAll @IntRange(min = 1, max = 5) int cycles,
      @ForAll @IntRange(min = 1, max = 5) int leastCycles) {
    boolean more = next(active, cycles, utilisation, dropRate, leastCycles);
    boolean less = next(active, cycles, utilisation * lessOf, dropRate * lessOf, leastCycles);
    assertThat(less || !more).isTrue();
  }

  private static boolean next(
      boolean active, int cycles, double utilisation, double dropRate, int leastCycles) {
    boolean guarded = OpenTcpLaw.isBelow(utilisation, dropRate, 0.7, 0.001);
    boolean enters = guarded && OpenTcpLaw.isBelow(utilisation, dropRate, 0.5, 0.0005);
    boolean stays = OpenTcpLaw.isBelow(utilisation, dropRate, 0.6, 0.0008);
    return OpenTcpLaw.next(active, active || enters ? cycles : 0, stays, guarded, leastCycles);
  }
}

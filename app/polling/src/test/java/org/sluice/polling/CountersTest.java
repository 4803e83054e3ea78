// SPDX-License-Identifier: Apache-2.0
package org.sluice.polling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CountersTest {
  private static final long FIVE_MILLIS = 5_000_000;

  private final Counters counters = new Counters();
  private long localNanos = 77;
  private long aliveNanos = TimeUnit.SECONDS.toNanos(100);

  private Optional<Counters.Added> after(long nanos, long... values) {
    localNanos += nanos;
    aliveNanos += nanos;
    return read(values);
  }

  private Optional<Counters.Added> read(long... values) {
    return counters.read(
        values, aliveNanos / 1_000_000_000, aliveNanos % 1_000_000_000, localNanos);
  }

  @Test
  void firstReadingGivesNoSample() {
    assertThat(read(5, 500)).isEmpty();
  }

  @Test
  void laterReadingsGiveIncreasesInTheSwitchsTime() {
    read(5, 500);
    localNanos += 300_000; // The reply took longer this time: of no concern.
    Counters.Added added = after(FIVE_MILLIS, 8, 5000).orElseThrow();

    assertThat(added.count(0)).isEqualTo(3);
    assertThat(added.count(1)).isEqualTo(4500);
    assertThat(added.intervalNanos()).isEqualTo(FIVE_MILLIS);
  }

  @Test
  void readingWithUnchangedSwitchClockIsMergedWithTheNext() {
    read(5, 500);
    assertThat(read(6, 600)).isEmpty();

    assertThat(after(FIVE_MILLIS, 7, 700).orElseThrow().count(0)).isEqualTo(2);
  }

  @Test
  void counterOf32BitsWraps() {
    read(10, 0xffffff00L);

    Counters.Added added = after(FIVE_MILLIS, 20, 0x100).orElseThrow();
    assertThat(added.count(1)).isEqualTo(0x200);
  }

  @Test
  void counterOf64BitsWraps() {
    read(10, -0x100L);

    assertThat(after(FIVE_MILLIS, 20, 0x100).orElseThrow().count(1)).isEqualTo(0x200);
  }

  @Test
  void resetCountersStartANewBaseline() {
    read(1_000_000, 1_500_000_000);
    assertThat(after(FIVE_MILLIS, 10, 15_000)).isEmpty();

    assertThat(after(FIVE_MILLIS, 12, 18_000).orElseThrow().count(0)).isEqualTo(2);
  }

  @Test
  void recreatedPortStartsANewBaseline() {
    read(1000, 1000);
    aliveNanos = 0;
    localNanos += FIVE_MILLIS;
    assertThat(read(2000, 2000)).isEmpty();

    assertThat(after(FIVE_MILLIS, 2001, 2001).orElseThrow().count(0)).isEqualTo(1);
  }

  @Test
  void switchClockJumpStartsANewBaseline() {
    read(10, 10);
    aliveNanos += TimeUnit.HOURS.toNanos(1);
    localNanos += FIVE_MILLIS;
    assertThat(read(20, 20)).isEmpty();

    assertThat(after(FIVE_MILLIS, 30, 30)).isPresent();
  }

  @Test
  void implausibleIncreaseStartsANewBaseline() {
    read(10, 10);
    assertThat(after(FIVE_MILLIS, 20, 1L << 40)).isEmpty();

    assertThat(after(FIVE_MILLIS, 30, (1L << 40) + 5).orElseThrow().count(1)).isEqualTo(5);
  }

  @Test
  void unsupportedCountersStayConstant() {
    read(-1, 10);

    Counters.Added added = after(FIVE_MILLIS, -1, 20).orElseThrow();
    assertThat(added.count(0)).isZero();
    assertThat(added.count(1)).isEqualTo(10);
  }

  @Test
  void localClockReplacesAMissingDuration() {
    counters.read(new long[] {1}, Counters.UNKNOWN_SECONDS, 0, 1000);

    assertThat(
            counters
                .read(new long[] {2}, Counters.UNKNOWN_SECONDS, 0, 1000 + FIVE_MILLIS)
                .orElseThrow()
                .intervalNanos())
        .isEqualTo(FIVE_MILLIS);
  }
}

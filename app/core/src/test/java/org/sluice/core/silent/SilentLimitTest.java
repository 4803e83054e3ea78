// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.silent;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.sluice.api.PortId;
import org.sluice.engine.control.EndpointShare;

class SilentLimitTest {
  private static final long MEGABIT = 1_000_000;
  private static final long SECOND = 1_000_000_000;
  private static final Optional<PortId> PORT = Optional.of(PortId.of("of:0000000000000001", 5));

  private static EndpointShare share(long heldMbits, long shareMbits) {
    return new EndpointShare(heldMbits * MEGABIT, PORT, shareMbits * MEGABIT, 0);
  }

  private static long due(long guaranteeMbits, EndpointShare share, long capacityMbits) {
    return SilentLimit.due(guaranteeMbits * MEGABIT, share, capacityMbits * MEGABIT) / MEGABIT;
  }

  @Test
  void dueRateIsTheLowestBoundButAtLeastTheGuarantee() {
    assertThat(due(0, share(100, 7), 1000)).as("the port under control").isEqualTo(7);
    assertThat(due(10, share(100, 7), 1000)).as("the guarantee").isEqualTo(10);
    assertThat(due(0, share(5, 7), 1000)).as("the ceiling").isEqualTo(5);
    assertThat(due(10, share(5, 7), 1000)).as("no guarantee beyond the ceiling").isEqualTo(5);
    assertThat(due(0, share(100, 700), 40)).as("the edge port's capacity").isEqualTo(40);
  }

  @Test
  void withoutAnyBoundThereIsNoLimit() {
    EndpointShare free =
        new EndpointShare(
            EndpointShare.UNBOUNDED, Optional.empty(), EndpointShare.UNBOUNDED, 3 * MEGABIT);
    assertThat(SilentLimit.due(0, free, 0)).isEqualTo(EndpointShare.UNBOUNDED);
    assertThat(SilentLimit.due(0, free, 40)).isEqualTo(40);
  }

  @Test
  void decreaseAppliesAtOnceButOncePerSecond() {
    SilentLimit limit = new SilentLimit();
    assertThat(limit.follow(100 * MEGABIT, 0)).isEqualTo(100 * MEGABIT);
    assertThat(limit.follow(50 * MEGABIT, SECOND / 2)).isEqualTo(100 * MEGABIT);
    assertThat(limit.follow(50 * MEGABIT, SECOND)).isEqualTo(50 * MEGABIT);
    assertThat(limit.follow(20 * MEGABIT, 2 * SECOND - 1)).isEqualTo(50 * MEGABIT);
    assertThat(limit.follow(20 * MEGABIT, 2 * SECOND)).isEqualTo(20 * MEGABIT);
  }

  @Test
  void increaseAppliesOnceItLastsAndByAQuarterAtMost() {
    SilentLimit limit = new SilentLimit();
    limit.follow(8 * MEGABIT, 0);
    assertThat(limit.follow(100 * MEGABIT, SECOND)).isEqualTo(8 * MEGABIT);
    assertThat(limit.follow(9 * MEGABIT, 3 * SECOND)).isEqualTo(8 * MEGABIT);
    assertThat(limit.follow(100 * MEGABIT, 4 * SECOND)).as("the least").isEqualTo(9 * MEGABIT);
    assertThat(limit.follow(100 * MEGABIT, 5 * SECOND)).isEqualTo(9 * MEGABIT);
    assertThat(limit.follow(100 * MEGABIT, 8 * SECOND)).isEqualTo(11_250_000);
  }

  @Test
  void pausesBetweenBurstsDoNotRaiseTheLimit() {
    SilentLimit limit = new SilentLimit();
    limit.follow(8 * MEGABIT, 0);
    for (long second = 1; second < 100; second++) {
      long dueNow = second % 3 == 0 ? 8 * MEGABIT : 1000 * MEGABIT;
      assertThat(limit.follow(dueNow, second * SECOND)).isEqualTo(8 * MEGABIT);
    }
  }

  @Property
  void limitIsBoundedByRecentDueRatesAndChangesAreLimited(
      @ForAll @Size(min = 2, max = 60) List<@LongRange(min = 1, max = 1_000_000_000_000L) Long> due,
      @ForAll @IntRange(min = 50, max = 3000) int stepMillis) {
    SilentLimit limit = new SilentLimit();
    long before = limit.follow(due.get(0), 0);
    long most = before;
    long changedAt = 0;
    for (int i = 1; i < due.size(); i++) {
      long now = MILLISECONDS.toNanos((long) i * stepMillis);
      most = Math.max(most, due.get(i));
      long after = limit.follow(due.get(i), now);
      if (after != before) {
        assertThat(now - changedAt).isGreaterThanOrEqualTo(SilentLimit.CHANGE_NANOS);
        assertThat(Math.abs(after - before)).isGreaterThanOrEqualTo((long) (before * 0.049));
        assertThat(after).isLessThanOrEqualTo((long) (before * SilentLimit.RISE) + 1);
        changedAt = now;
      }
      assertThat(after).isBetween(1L, most);
      before = after;
    }
  }

  @Property
  void constantDueRateIsReachedAndNotExceeded(
      @ForAll @LongRange(min = 1000, max = 1_000_000_000L) long first,
      @ForAll @LongRange(min = 1000, max = 1_000_000_000L) long then) {
    SilentLimit limit = new SilentLimit();
    long now = limit.follow(first, 0);
    for (int i = 1; i <= 2000; i++) {
      now = limit.follow(then, i * (SECOND / 2));
    }
    assertThat((double) now).isBetween(then * 0.95 - 1, then * 1.06 + 1);
    assertThat(now).isLessThanOrEqualTo(Math.max(first, then));
  }
}

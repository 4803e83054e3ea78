// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;

class RecentGrowthTest {
  private static final HostId H1 = HostId.of("h1");
  private static final long MINUTE = RecentGrowth.RECENT_NANOS;

  private final RecentGrowth<HostId> growth = new RecentGrowth<>();

  @Test
  void keyIsReportedUntilItsCountWasConstantForAMinute() {
    growth.seen(Map.of(), 0);
    assertThat(growth.recent()).isEmpty();
    growth.seen(Map.of(H1, 5L), 1);
    growth.seen(Map.of(H1, 7L), 2);
    growth.seen(Map.of(H1, 7L), 2 + MINUTE);
    assertThat(growth.recent()).containsExactly(Map.entry(H1, 7L));

    growth.seen(Map.of(H1, 7L), 3 + MINUTE);

    assertThat(growth.recent()).isEmpty();
  }

  @Test
  void resetCountGrowsFromZero() {
    growth.seen(Map.of(H1, 7L), 0);
    growth.seen(Map.of(H1, 0L), 1 + MINUTE);
    assertThat(growth.recent()).isEmpty();

    growth.seen(Map.of(H1, 7L), 2 + MINUTE);
    growth.seen(Map.of(H1, 3L), 3 + 2 * MINUTE);

    assertThat(growth.recent()).containsExactly(Map.entry(H1, 3L));
  }
}

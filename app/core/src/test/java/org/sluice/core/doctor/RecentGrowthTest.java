// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;

class RecentRefusalsTest {
  private static final HostId H1 = HostId.of("h1");
  private static final long MINUTE = RecentRefusals.RECENT_NANOS;

  private final RecentRefusals refusals = new RecentRefusals();

  @Test
  void aHostIsNamedUntilItsCountHasStoodStillForAMinute() {
    refusals.seen(Map.of(), 0);
    assertThat(refusals.recent()).isEmpty();
    refusals.seen(Map.of(H1, 5L), 1);
    refusals.seen(Map.of(H1, 7L), 2);
    refusals.seen(Map.of(H1, 7L), 2 + MINUTE);
    assertThat(refusals.recent()).containsExactly(Map.entry(H1, 7L));

    refusals.seen(Map.of(H1, 7L), 3 + MINUTE);

    assertThat(refusals.recent()).isEmpty();
  }
}

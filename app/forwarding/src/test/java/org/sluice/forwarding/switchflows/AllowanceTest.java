// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.switchflows;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sluice.api.PortId;
import org.sluice.core.testing.Samples;

class AllowanceTest {
  private static final PortId PORT = Samples.port("s1/1");
  private static final long SECOND = 1_000_000_000;

  private final Allowance allowance = new Allowance();

  private void spend(int count, long nowNanos) {
    for (int i = 0; i < count; i++) {
      assertThat(allowance.take(PORT, nowNanos)).isTrue();
    }
  }

  @Test
  void excessIsReportedOnceAndPausesThePort() {
    spend(Allowance.BURST, SECOND);
    assertThat(allowance.isPaused(PORT, SECOND)).isFalse();
    assertThat(allowance.take(PORT, SECOND)).isFalse();
    assertThat(allowance.take(PORT, SECOND)).isTrue();
    assertThat(allowance.isPaused(PORT, SECOND)).isTrue();
    assertThat(allowance.isPaused(Samples.port("s1/2"), SECOND)).isFalse();
    assertThat(allowance.isPaused(PORT, SECOND + Allowance.PAUSE_NANOS)).isFalse();
  }

  @Test
  void allowanceRefillsOverTime() {
    spend(Allowance.BURST, SECOND);
    spend(Allowance.PER_SECOND, 2 * SECOND);
    assertThat(allowance.take(PORT, 2 * SECOND)).isFalse();
    spend(Allowance.BURST, 20 * SECOND);
    assertThat(allowance.take(PORT, 20 * SECOND)).isFalse();
  }
}

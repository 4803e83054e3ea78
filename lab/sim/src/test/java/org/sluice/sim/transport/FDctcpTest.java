// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FDctcpTest {
  private static final int SEGMENT = 1460;
  private static final long MILLI = 1_000_000L;

  private static FDctcp sender(double windowBytes, long rttNanos) {
    FDctcp sender =
        new FDctcp(TcpParameters.builder().congestionControl(CongestionControls.F_DCTCP).build());
    sender.open(SEGMENT, windowBytes, rttNanos, 0);
    return sender;
  }

  /** 100 Mbit/s for 4 ms are 50,000 bytes. */
  @Test
  void windowIsSetToTheFairRate() {
    FDctcp sender = sender(100_000, 4 * MILLI);
    sender.notified(100e6);
    assertThat(sender.windowBytes()).isEqualTo(50_000);
    assertThat(sender.slowStartThresholdBytes()).isEqualTo(50_000);
  }

  @Test
  void smallerWindowIsKeptAndTheMinimumIsTwoSegments() {
    FDctcp sender = sender(40_000, 4 * MILLI);
    sender.notified(100e6);
    assertThat(sender.windowBytes()).isEqualTo(40_000);
    sender.notified(1e6);
    assertThat(sender.windowBytes()).isEqualTo(2 * SEGMENT);
  }

  @Test
  void windowIsUnchangedWithoutARoundTripSample() {
    FDctcp sender = sender(40_000, 0);
    sender.notified(1e6);
    assertThat(sender.windowBytes()).isEqualTo(40_000);
  }
}

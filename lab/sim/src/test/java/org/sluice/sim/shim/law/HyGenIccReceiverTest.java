// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HyGenIccReceiverTest {
  private static final long TIMEOUT = 500_000;

  private final HyGenIccReceiver receiver = new HyGenIccReceiver();

  @Test
  void eachReturningPacketCarriesOneMark() {
    receiver.mark();
    receiver.mark();
    assertThat(receiver.reflect()).isTrue();
    assertThat(receiver.reflect()).isTrue();
    assertThat(receiver.reflect()).isFalse();
    assertThat(receiver.hasMarks()).isFalse();
  }

  @Test
  void messageCarriesRemainingMarksOncePerTimeout() {
    assertThat(receiver.takeForMessage(TIMEOUT, TIMEOUT)).as("no marks").isZero();
    receiver.mark();
    assertThat(receiver.takeForMessage(TIMEOUT, TIMEOUT)).isEqualTo(1);
    receiver.mark();
    assertThat(receiver.takeForMessage(2 * TIMEOUT - 1, TIMEOUT)).isZero();
    receiver.mark();
    assertThat(receiver.takeForMessage(2 * TIMEOUT, TIMEOUT)).isEqualTo(2);
  }

  @Test
  void messageHasTwoBytesOfMarks() {
    for (int i = 0; i < 65_536; i++) {
      receiver.mark();
    }
    assertThat(receiver.takeForMessage(TIMEOUT, TIMEOUT)).isEqualTo(65_535);
    assertThat(receiver.hasMarks()).isTrue();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SedWindowTest {
  private static final int SEGMENT = 1000;
  private static final long OFFERED = 1_000_000;
  private static final long LONGEST_CLOSED = 1_000_000_000;

  private final SedWindow window = new SedWindow(SEGMENT);

  @Test
  void receiversWindowAppliesWithoutAGrant() {
    assertThat(window.acknowledge(0, OFFERED, 0)).isEqualTo(OFFERED);
    window.grant(2 * SEGMENT, 0);
    window.grant(SedWindow.NO_GRANT, 0);
    assertThat(window.acknowledge(0, OFFERED, 0)).isEqualTo(OFFERED);
  }

  @Test
  void rightEdgeNeverMovesLeft() {
    window.grant(10 * SEGMENT, 0);
    assertThat(window.acknowledge(0, OFFERED, 0)).isEqualTo(10 * SEGMENT);
    window.grant(2 * SEGMENT, 0);
    assertThat(window.acknowledge(3 * SEGMENT, OFFERED, 0)).isEqualTo(7 * SEGMENT);
    assertThat(window.acknowledge(9 * SEGMENT, OFFERED, 0)).isEqualTo(2 * SEGMENT);
    assertThat(window.seenBytes()).isEqualTo(2 * SEGMENT);
  }

  @Test
  void largerGrantNeedsAWindowUpdate() {
    window.grant(2 * SEGMENT, 0);
    window.acknowledge(0, OFFERED, 0);
    assertThat(window.needsUpdate(0)).isFalse();
    window.grant(5 * SEGMENT, 0);
    assertThat(window.needsUpdate(0)).isTrue();
    assertThat(window.update(0)).isEqualTo(5 * SEGMENT);
    assertThat(window.needsUpdate(0)).isFalse();
  }

  @Test
  void closedWindowOpensForASegment() {
    window.grant(0, 5);
    assertThat(window.acknowledge(0, OFFERED, 5)).isZero();
    assertThat(window.opensAtNanos()).isEqualTo(5 + LONGEST_CLOSED);
    assertThat(window.needsUpdate(4 + LONGEST_CLOSED)).isFalse();
    assertThat(window.needsUpdate(5 + LONGEST_CLOSED)).isTrue();
    assertThat(window.update(5 + LONGEST_CLOSED)).isEqualTo(SEGMENT);
  }

  /** With many that wait a segment per round trip of each would be as much as a port holds. */
  @Test
  void openedWindowClosesAgain() {
    window.grant(0, 5);
    window.acknowledge(0, OFFERED, 5);
    long opened = 5 + LONGEST_CLOSED;
    window.update(opened);
    assertThat(window.acknowledge(SEGMENT, OFFERED, opened + 10)).isZero();
    assertThat(window.needsUpdate(opened + LONGEST_CLOSED - 1)).isFalse();
    assertThat(window.update(opened + LONGEST_CLOSED)).isEqualTo(SEGMENT);
  }
}

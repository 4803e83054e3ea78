// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.sluice.api.PortId;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.PortTable;

/** How much of what passes a port is marked, as hosts or switches report it. */
class MarkedPartTest {
  private static final long PERIOD_NANOS = 5_000_000L;
  private static final double NOT_REPORTED = -1;

  private final PortTable ports = new EngineState().ports;
  private final int port = ports.findOrAdd(PortId.of("of:0000000000000001", 1));
  private final MarkedPart part = new MarkedPart();
  private long now = 1;

  private void seen(long packets, long marks) {
    ports.solePackets[port] += packets;
    ports.soleMarks[port] += marks;
    look(NOT_REPORTED);
  }

  private void look(double reported) {
    part.look(ports, port, reported, now);
    now += PERIOD_NANOS;
  }

  @Test
  void isNotKnownOfLessThanTwentyPackets() {
    assertThat(part.part()).isZero();
    seen(19, 19);
    assertThat(part.part()).isZero();
    seen(2, 2);
    assertThat(part.part()).isEqualTo(1);
  }

  /** Of packets: a period of a hundred counts ten times as much as one of ten. */
  @Test
  void isTheMeanOfPacketsAndNotOfPeriods() {
    for (int i = 0; i < 100; i++) {
      seen(100, 50);
      seen(10, 0);
    }
    assertThat(part.part()).isCloseTo(50 / 110.0, within(0.02));
  }

  /** After 100 ms what was before counts for 1/e. */
  @Test
  void forgetsInATenthOfASecond() {
    for (int i = 0; i < 400; i++) {
      seen(100, 100);
    }
    for (int i = 0; i < 20; i++) {
      seen(100, 0);
    }
    assertThat(part.part()).isCloseTo(Math.exp(-1), within(0.005));
  }

  @Test
  void whatIsLookedAtCountsOnce() {
    seen(100, 50);
    assertThat(ports.solePackets[port]).isZero();
    assertThat(ports.soleMarks[port]).isZero();
    look(NOT_REPORTED);
    assertThat(part.part()).isCloseTo(0.5, within(1e-9));
  }

  /** The first report holds as it is; later ones move it by 1 - exp(-5/100). */
  @Test
  void thePortsOwnReportGoesFirstAndIsAveraged() {
    seen(100, 90);
    look(0.2);
    assertThat(part.part()).isEqualTo(0.2);
    look(0.4);
    assertThat(part.part()).isCloseTo(0.4 - 0.2 * Math.exp(-0.05), within(1e-9));
    look(NOT_REPORTED);
    assertThat(part.part()).as("hosts' again").isCloseTo(0.9, within(1e-9));
    look(0.3);
    assertThat(part.part()).as("reported anew").isEqualTo(0.3);
  }

  /** A report of more marks than packets, read at two moments, is still a part. */
  @Test
  void isNotAboveOne() {
    seen(30, 40);
    assertThat(part.part()).isEqualTo(1);
  }
}

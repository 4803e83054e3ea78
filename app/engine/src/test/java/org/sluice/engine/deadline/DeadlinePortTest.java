// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;

/** A port of 100 MB/s, of which 95 are promised. */
class DeadlinePortTest {

  @Test
  void baseWindowsOfOtherFlowsAreNotAdmissible() {
    DeadlinePort port = new DeadlinePort(PortId.of("of:0000000000000001", 1));
    port.configure(100e6, 30_000);
    port.setRoundTripNanos(200_000);
    port.setBaseWindow(2000);
    FlowKey key = FlowKey.of(IpAddress.parse("10.0.0.1"), 1, IpAddress.parse("10.0.0.2"), 2);
    port.join(new GifRow(1, 1, key, new DeadlinePort[] {port}, 0, GifRow.NEVER, false));
    // 2 KB per 500 us are 4 MB/s: 91 of 95 are left.
    assertThat(port.promisableBytesPerSecond(0)).isEqualTo(91e6);
  }

  /** What is not under grant bounds promises only where it does not yield to them. */
  @Test
  void yieldingTrafficIsAdmissible() {
    DeadlinePort port = new DeadlinePort(PortId.of("of:0000000000000001", 1));
    port.configure(100e6, 30_000);
    port.setUngoverned(60e6);
    assertThat(port.promisableBytesPerSecond(0)).isEqualTo(38e6);
    port.setReserved(5e6, true);
    assertThat(port.promisableBytesPerSecond(0)).isEqualTo(90e6);
  }

  /**
   * Those that come next begin with windows for it: a full queue's round trip would overfill it.
   */
  @Test
  void portWithoutFlowsKeepsTheLastMinimumRoundTrip() {
    DeadlinePort port = new DeadlinePort(PortId.of("of:0000000000000001", 1));
    port.configure(100e6, 30_000);
    port.setRoundTripNanos(100_000);
    GifRow first = sending(port, 1);
    GifRow second = sending(port, 2);
    first.measured(200_000);
    second.measured(9_000_000);
    first.measured(8_000_000);
    port.measureRoundTrip(true);
    assertThat(port.roundTripNanos()).as("of the latest").isEqualTo(8_500_000);
    port.leave(first);
    port.measureRoundTrip(true);
    assertThat(port.roundTripNanos()).isEqualTo(9_000_000);
    port.leave(second);
    assertThat(port.roundTripNanos()).isEqualTo(200_000);

    GifRow third = sending(port, 3);
    port.leave(third);
    assertThat(port.roundTripNanos()).as("nothing was measured").isEqualTo(200_000);

    GifRow fourth = sending(port, 4);
    fourth.measured(700_000);
    port.leave(fourth);
    assertThat(port.roundTripNanos()).as("the path is longer now").isEqualTo(700_000);
  }

  private static GifRow sending(DeadlinePort port, int sourcePort) {
    IpAddress source = IpAddress.parse("10.0.0.1");
    FlowKey key = FlowKey.of(source, sourcePort, IpAddress.parse("10.0.0.2"), 2);
    GifRow row = new GifRow(sourcePort, 1, key, new DeadlinePort[] {port}, 0, GifRow.NEVER, false);
    row.baseRoundTripNanos = Math.round(port.roundTripNanos());
    row.roundTripNanos = row.baseRoundTripNanos;
    port.join(row);
    return row;
  }
}

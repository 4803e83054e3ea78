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
  void baseWindowsOfOthersAreNotPromised() {
    DeadlinePort port = new DeadlinePort(PortId.of("of:0000000000000001", 1));
    port.configure(100e6, 30_000);
    port.setRoundTripNanos(200_000);
    port.setBaseWindow(2000);
    FlowKey key = FlowKey.of(IpAddress.parse("10.0.0.1"), 1, IpAddress.parse("10.0.0.2"), 2);
    port.join(new GifRow(1, 1, key, new DeadlinePort[] {port}, 0, GifRow.NEVER, false));
    // 2 KB per 500 us are 4 MB/s: 91 of 95 are left.
    assertThat(port.promisableBytesPerSecond()).isEqualTo(91e6);
  }

  /** What is not under grant bounds promises only where it does not yield to them. */
  @Test
  void whatYieldsMayBePromised() {
    DeadlinePort port = new DeadlinePort(PortId.of("of:0000000000000001", 1));
    port.configure(100e6, 30_000);
    port.setUngoverned(60e6);
    assertThat(port.promisableBytesPerSecond()).isEqualTo(38e6);
    port.setReserved(5e6, true);
    assertThat(port.promisableBytesPerSecond()).isEqualTo(90e6);
  }
}

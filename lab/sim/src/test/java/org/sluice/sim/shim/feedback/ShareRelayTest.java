// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.feedback;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sluice.api.PortId;
import org.sluice.sim.shim.law.PortShare;

class ShareRelayTest {
  private static final PortId PORT = PortId.of("s", 1);
  private static final PortId OTHER = PortId.of("s", 2);

  private static PortShare share(long bitsPerSecond) {
    return new PortShare(bitsPerSecond, false, 0, false);
  }

  @Test
  void lowestShareIsRelayed() {
    ShareRelay shares = new ShareRelay();
    shares.put(PORT, share(30_000_000), new int[] {1, 4});
    shares.put(OTHER, share(20_000_000), new int[] {4});
    assertThat(shares.lowest(1).port()).isEqualTo(PORT);
    assertThat(shares.lowest(4).port()).isEqualTo(OTHER);
    assertThat(shares.lowest(2)).isNull();
    shares.put(OTHER, new PortShare(20_000_000, true, 0, false), new int[] {4});
    assertThat(shares.lowest(4).port()).isEqualTo(PORT);
    shares.put(PORT, share(30_000_000), new int[0]);
    assertThat(shares.lowest(4)).isNull();
  }
}

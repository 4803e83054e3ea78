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
    return new PortShare(bitsPerSecond, 100_000_000L, 3, false);
  }

  @Test
  void lowestShareIsRelayed() {
    ShareRelay shares = new ShareRelay(3000);
    shares.put(PORT, share(30_000_000), new int[] {1, 4}, 0);
    shares.put(OTHER, share(20_000_000), new int[] {4}, 0);
    assertThat(shares.lowest(1, 0).port()).isEqualTo(PORT);
    assertThat(shares.lowest(4, 0).port()).isEqualTo(OTHER);
    assertThat(shares.lowest(2, 0)).isNull();
    shares.put(OTHER, new PortShare(20_000_000, 1, 1, true), new int[] {4}, 0);
    assertThat(shares.lowest(4, 0).port()).isEqualTo(PORT);
    assertThat(shares.lowest(4, 2999).share().stale()).isFalse();
    assertThat(shares.lowest(4, 3000).share().stale()).isTrue();
    shares.put(PORT, share(30_000_000), new int[] {1, 4}, 3000);
    assertThat(shares.lowest(4, 3000).share().stale()).isFalse();
    shares.put(PORT, share(30_000_000), new int[0], 3000);
    assertThat(shares.lowest(4, 3000)).isNull();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.port;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;

class HeldPacketsTest {
  private static final IpAddress TO = IpAddress.parse("10.0.0.5");
  private static final byte[] FRAME = new byte[60];

  private final Map<IpAddress, PortId> places = new HashMap<>();
  private final HeldPackets held = new HeldPackets();

  private int released(long nowNanos) {
    return held.release(ip -> Optional.ofNullable(places.get(ip)), nowNanos).size();
  }

  @Test
  void packetIsReleasedOnceWhenItsDestinationIsLocated() {
    held.hold(TO, port("s1/1"), FRAME, 0);
    assertThat(released(1)).isZero();

    places.put(TO, port("s2/1"));

    assertThat(released(2)).isEqualTo(1);
    assertThat(released(3)).isZero();
  }

  @Test
  void packetIsHeldNoLongerThanARetransmissionTimeout() {
    held.hold(TO, port("s1/1"), FRAME, 0);
    places.put(TO, port("s2/1"));

    assertThat(released(HeldPackets.HOLD_NANOS)).isZero();
  }

  @Test
  void heldPacketsArePerPortAndLimited() {
    for (int i = 0; i < 10_000; i++) {
      held.hold(TO, port("s1/1"), FRAME, 0);
    }
    held.hold(TO, port("s1/2"), FRAME, 0);
    places.put(TO, port("s2/1"));

    assertThat(released(1)).isEqualTo(HeldPackets.MOST_FROM_A_PORT + 1);
  }
}

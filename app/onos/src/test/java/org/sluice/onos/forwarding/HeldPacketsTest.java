// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.onos.testing.Samples.point;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.onlab.packet.Ethernet;
import org.onlab.packet.IpAddress;
import org.onosproject.net.ConnectPoint;
import org.sluice.onos.testing.Frames;

class HeldPacketsTest {
  private static final IpAddress TO = IpAddress.valueOf("10.0.0.5");
  private static final Ethernet FRAME = Frames.packet("02:00:00:00:01:01", "10.0.0.1", "10.0.0.5");

  private final Map<IpAddress, ConnectPoint> places = new HashMap<>();
  private final HeldPackets held = new HeldPackets();

  private int released(long nowNanos) {
    return held.release(ip -> Optional.ofNullable(places.get(ip)), nowNanos).size();
  }

  @Test
  void packetIsReleasedOnceWhenItsDestinationIsLocated() {
    held.hold(TO, point("s1/1"), FRAME, 0);
    assertThat(released(1)).isZero();

    places.put(TO, point("s2/1"));

    assertThat(released(2)).isEqualTo(1);
    assertThat(released(3)).isZero();
  }

  @Test
  void packetIsHeldNoLongerThanARetransmissionTimeout() {
    held.hold(TO, point("s1/1"), FRAME, 0);
    places.put(TO, point("s2/1"));

    assertThat(released(HeldPackets.HOLD_NANOS)).isZero();
  }

  @Test
  void heldPacketsArePerPortAndLimited() {
    for (int i = 0; i < 10_000; i++) {
      held.hold(TO, point("s1/1"), FRAME, 0);
    }
    held.hold(TO, point("s1/2"), FRAME, 0);
    places.put(TO, point("s2/1"));

    assertThat(released(1)).isEqualTo(HeldPackets.MOST_FROM_A_PORT + 1);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.packet.DefaultInboundPacket;
import org.onosproject.net.packet.DefaultPacketContext;

/** A packet-in. */
final class TestPacketContext extends DefaultPacketContext {
  TestPacketContext(ConnectPoint at, byte[] frame, Optional<Long> rule) {
    super(
        System.currentTimeMillis(),
        new DefaultInboundPacket(at, Frames.parse(frame), ByteBuffer.wrap(frame), rule),
        null,
        false);
  }

  @Override
  public void send() {
    throw new UnsupportedOperationException("Sluice emits packets of its own");
  }
}

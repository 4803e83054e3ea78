// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import java.nio.ByteBuffer;
import org.onlab.packet.Ethernet;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.packet.DefaultInboundPacket;
import org.onosproject.net.packet.DefaultPacketContext;

/** A packet-in. */
final class TestPacketContext extends DefaultPacketContext {
  TestPacketContext(ConnectPoint at, Ethernet frame) {
    super(
        System.currentTimeMillis(),
        new DefaultInboundPacket(at, frame, ByteBuffer.wrap(frame.serialize())),
        null,
        false);
  }

  @Override
  public void send() {
    throw new UnsupportedOperationException("Sluice emits packets of its own");
  }
}

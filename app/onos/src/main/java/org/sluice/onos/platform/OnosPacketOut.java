// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.nio.ByteBuffer;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.flow.DefaultTrafficTreatment;
import org.onosproject.net.packet.DefaultOutboundPacket;
import org.onosproject.net.packet.PacketService;
import org.sluice.api.PortId;
import org.sluice.core.spi.PacketOut;

/** Packet-outs through ONOS's packet service. */
final class OnosPacketOut implements PacketOut {
  private final PacketService packets;

  OnosPacketOut(PacketService packets) {
    this.packets = packets;
  }

  @Override
  public void emit(PortId port, byte[] frame) {
    ConnectPoint at = OnosTypes.port(port);
    packets.emit(
        new DefaultOutboundPacket(
            at.deviceId(),
            DefaultTrafficTreatment.builder().setOutput(at.port()).build(),
            ByteBuffer.wrap(frame)));
  }
}

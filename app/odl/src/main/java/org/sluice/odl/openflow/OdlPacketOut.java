// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import org.opendaylight.yang.gen.v1.urn.opendaylight.packet.service.rev130709.TransmitPacket;
import org.opendaylight.yang.gen.v1.urn.opendaylight.packet.service.rev130709.TransmitPacketInputBuilder;
import org.sluice.api.PortId;
import org.sluice.core.spi.PacketOut;
import org.sluice.odl.Datapaths;
import org.sluice.odl.line.Mdsal;

/** Packet-outs by openflowplugin's packet service. */
public final class OdlPacketOut implements PacketOut {
  private final Mdsal mdsal;

  public OdlPacketOut(Mdsal mdsal) {
    this.mdsal = mdsal;
  }

  @Override
  public void emit(PortId port, byte[] frame) {
    var unused = // Nobody waits for a packet.
        mdsal
            .rpc(TransmitPacket.class)
            .invoke(
                new TransmitPacketInputBuilder()
                    .setNode(Mdsal.reference(Datapaths.node(port.datapath())))
                    .setEgress(Mdsal.connectorReference(Datapaths.connector(port)))
                    .setPayload(frame)
                    .build());
  }
}

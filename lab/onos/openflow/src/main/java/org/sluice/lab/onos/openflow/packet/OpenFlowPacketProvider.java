// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.packet;

import java.nio.ByteBuffer;
import java.util.List;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.DeviceId;
import org.onosproject.net.PortNumber;
import org.onosproject.net.flow.instructions.Instruction;
import org.onosproject.net.flow.instructions.Instructions.OutputInstruction;
import org.onosproject.net.packet.DefaultInboundPacket;
import org.onosproject.net.packet.DefaultOutboundPacket;
import org.onosproject.net.packet.InboundPacket;
import org.onosproject.net.packet.OutboundPacket;
import org.onosproject.net.packet.PacketProvider;
import org.onosproject.net.packet.PacketProviderRegistry;
import org.onosproject.net.packet.PacketProviderService;
import org.onosproject.net.provider.AbstractProvider;
import org.onosproject.net.provider.ProviderId;
import org.onosproject.openflow.controller.OpenFlowController;
import org.onosproject.openflow.controller.OpenFlowPacketContext;
import org.onosproject.openflow.controller.OpenFlowSwitch;
import org.onosproject.openflow.controller.PacketListener;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.types.OFBufferId;
import org.projectfloodlight.openflow.types.OFPort;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.lab.onos.openflow.translate.Ids;

/** Packets over OpenFlow, from switches and to them. */
@Component(immediate = true)
public class OpenFlowPacketProvider extends AbstractProvider
    implements PacketProvider, PacketListener {

  /** Among the controller's packet listeners; the stock provider's place. */
  private static final int PRIORITY = 20;

  private static final Logger LOG = LoggerFactory.getLogger(OpenFlowPacketProvider.class);

  @Reference protected PacketProviderRegistry providerRegistry;
  @Reference protected OpenFlowController controller;

  private PacketProviderService providerService;

  /** Creates the provider under the stock one's name. */
  public OpenFlowPacketProvider() {
    super(new ProviderId("of", "org.onosproject.provider.openflow"));
  }

  /** Registers the provider. */
  @Activate
  public void activate() {
    providerService = providerRegistry.register(this);
    controller.addPacketListener(PRIORITY, this);
  }

  /** Unregisters the provider. */
  @Deactivate
  public void deactivate() {
    controller.removePacketListener(this);
    providerRegistry.unregister(this);
  }

  @Override
  public void handlePacket(OpenFlowPacketContext received) {
    DeviceId deviceId = Ids.device(received.dpid());
    ByteBuffer frame = ByteBuffer.wrap(received.unparsed());
    InboundPacket in =
        new DefaultInboundPacket(
            new ConnectPoint(deviceId, PortNumber.portNumber(received.inPort())),
            received.parsed(),
            frame,
            received.cookie());
    OutboundPacket out =
        received.isBuffered() ? null : new DefaultOutboundPacket(deviceId, null, frame);
    providerService.processPacket(new ReceivedPacket(in, out, received));
  }

  @Override
  public void emit(OutboundPacket packet) {
    OpenFlowSwitch target = controller.getSwitch(Ids.dpid(packet.sendThrough()));
    if (target == null) {
      LOG.warn("Packet for {}: not connected", packet.sendThrough());
      return;
    }
    OFPort inPort = packet.inPort() == null ? OFPort.CONTROLLER : Ids.port(packet.inPort());
    for (Instruction instruction : packet.treatment().allInstructions()) {
      if (instruction.type() == Instruction.Type.OUTPUT) {
        OFPort outPort = Ids.port(((OutputInstruction) instruction).port());
        target.sendMsg(packetOut(target.factory(), packet.data().array(), inPort, outPort));
      }
    }
  }

  private static OFPacketOut packetOut(
      OFFactory factory, byte[] frame, OFPort inPort, OFPort outPort) {
    return factory
        .buildPacketOut()
        .setBufferId(OFBufferId.NO_BUFFER)
        .setInPort(inPort)
        .setActions(List.of(factory.actions().buildOutput().setPort(outPort).build()))
        .setData(frame)
        .build();
  }
}

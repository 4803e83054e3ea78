// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.packet;

import org.onlab.packet.DeserializationException;
import org.onlab.packet.Ethernet;
import org.onosproject.net.flow.instructions.Instruction;
import org.onosproject.net.flow.instructions.Instructions.OutputInstruction;
import org.onosproject.net.packet.DefaultPacketContext;
import org.onosproject.net.packet.InboundPacket;
import org.onosproject.net.packet.OutboundPacket;
import org.onosproject.openflow.controller.OpenFlowPacketContext;
import org.projectfloodlight.openflow.types.OFPort;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.lab.onos.openflow.translate.Ids;

/** A packet-in on its way through the packet processors; may be sent on once, to one port. */
final class ReceivedPacket extends DefaultPacketContext {

  private static final Logger LOG = LoggerFactory.getLogger(ReceivedPacket.class);

  private final OpenFlowPacketContext received;

  ReceivedPacket(InboundPacket in, OutboundPacket out, OpenFlowPacketContext received) {
    super(System.currentTimeMillis(), in, out, received.isHandled());
    this.received = received;
  }

  @Override
  public void send() {
    if (block()) {
      return;
    }
    OFPort port = firstOutput();
    if (port == null) {
      return;
    }
    if (outPacket() == null) {
      received.build(port);
    } else {
      try {
        byte[] frame = outPacket().data().array();
        received.build(Ethernet.deserializer().deserialize(frame, 0, frame.length), port);
      } catch (DeserializationException e) {
        LOG.warn("Packet from {} cannot be parsed, not sent on", inPacket().receivedFrom());
        return;
      }
    }
    received.send();
  }

  private OFPort firstOutput() {
    return treatmentBuilder().build().allInstructions().stream()
        .filter(instruction -> instruction.type() == Instruction.Type.OUTPUT)
        .map(instruction -> Ids.port(((OutputInstruction) instruction).port()))
        .findFirst()
        .orElse(null);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.onlab.packet.Ethernet;
import org.onosproject.core.ApplicationId;
import org.onosproject.net.flow.DefaultTrafficSelector;
import org.onosproject.net.flow.TrafficSelector;
import org.onosproject.net.packet.InboundPacket;
import org.onosproject.net.packet.PacketContext;
import org.onosproject.net.packet.PacketPriority;
import org.onosproject.net.packet.PacketProcessor;
import org.onosproject.net.packet.PacketService;
import org.sluice.forwarding.spi.PacketIn;

/** Packet-ins from ONOS's packet service; other applications' processors may come before ours. */
final class OnosPacketIn implements PacketIn {
  private static final TrafficSelector ARP =
      DefaultTrafficSelector.builder().matchEthType(Ethernet.TYPE_ARP).build();

  private final PacketService packets;
  private final ApplicationId application;
  private final Map<Listener, PacketProcessor> processors = new HashMap<>();

  OnosPacketIn(PacketService packets, ApplicationId application) {
    this.packets = packets;
    this.application = application;
  }

  @Override
  public synchronized void addListener(Stage stage, Listener listener) {
    PacketProcessor processor = context -> process(context, listener);
    processors.put(listener, processor);
    packets.addProcessor(processor, PacketProcessor.director(stage == Stage.COPIES ? 1 : 2));
  }

  /** ONOS finds a processor by index: two threads that remove the same one fail. */
  @Override
  public synchronized void removeListener(Listener listener) {
    PacketProcessor processor = processors.remove(listener);
    if (processor != null) {
      packets.removeProcessor(processor);
    }
  }

  private static void process(PacketContext context, Listener listener) {
    InboundPacket packet = context.inPacket();
    if (context.isHandled() || packet.receivedFrom().port().isLogical()) {
      return;
    }
    ByteBuffer data = packet.unparsed().duplicate();
    byte[] frame = new byte[data.remaining()];
    data.get(frame);
    OptionalLong cookie = packet.cookie().map(OptionalLong::of).orElseGet(OptionalLong::empty);
    if (listener.received(Packet.of(OnosTypes.port(packet.receivedFrom()), frame, cookie))) {
      context.block();
    }
  }

  @Override
  public void requestArp() {
    packets.requestPackets(ARP, PacketPriority.CONTROL, application);
  }

  @Override
  public void cancelArp() {
    packets.cancelPackets(ARP, PacketPriority.CONTROL, application);
  }
}

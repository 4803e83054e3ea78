// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.FlowCookie;
import org.opendaylight.yang.gen.v1.urn.opendaylight.packet.service.rev130709.PacketReceivedBuilder;
import org.opendaylight.yangtools.yang.common.Uint64;
import org.sluice.api.PortId;
import org.sluice.core.testing.Samples;
import org.sluice.forwarding.spi.PacketIn;
import org.sluice.forwarding.testing.MemoryFabric;
import org.sluice.odl.Datapaths;
import org.sluice.odl.line.Mdsal;

class PacketsTest {
  private static final PortId PORT = Samples.port("s1/2");

  private final MemoryFabric fabric = new MemoryFabric();
  private final FakeSwitches switches = new FakeSwitches(fabric.time);
  private final OdlPacketIn packetIn =
      new OdlPacketIn(
          switches.mdsal,
          new SwitchTables(switches.mdsal, fabric.switches(), fabric, fabric, fabric.time));
  private final List<String> asked = new ArrayList<>();
  private final List<PacketIn.Packet> packets = new ArrayList<>();
  private boolean takesCopies;

  @BeforeEach
  void start() {
    packetIn.start();
    packetIn.addListener(
        PacketIn.Stage.UNKNOWN,
        packet -> {
          asked.add("unknown");
          return packets.add(packet);
        });
    packetIn.addListener(
        PacketIn.Stage.COPIES,
        packet -> {
          asked.add("copies");
          return takesCopies;
        });
  }

  private void receive(PacketReceivedBuilder packet) {
    switches.mdsal.receive(
        packet
            .setIngress(Mdsal.connectorReference(Datapaths.connector(PORT)))
            .setPayload(new byte[] {1, 2, 3})
            .build());
  }

  @Test
  void packetsComeWithTheirPortAndCookie() {
    receive(new PacketReceivedBuilder().setFlowCookie(new FlowCookie(Uint64.valueOf(77))));

    assertThat(asked).containsExactly("copies", "unknown");
    assertThat(packets.get(0).port()).isEqualTo(PORT);
    assertThat(packets.get(0).frame()).containsExactly(1, 2, 3);
    assertThat(packets.get(0).cookie()).isEqualTo(OptionalLong.of(77));
  }

  @Test
  void whoeverDealsWithAPacketIsTheLastToBeAsked() {
    takesCopies = true;
    receive(new PacketReceivedBuilder());

    assertThat(asked).containsExactly("copies");
  }

  @Test
  void nobodyIsAskedAfterTheEnd() {
    packetIn.stop();
    receive(new PacketReceivedBuilder());

    assertThat(asked).isEmpty();
  }

  @Test
  void framesLeaveByTheirPort() {
    new OdlPacketOut(switches.mdsal).emit(PORT, new byte[] {4, 5});

    assertThat(switches.transmitted.get(0).getPayload()).containsExactly(4, 5);
    assertThat(Mdsal.connectorId(switches.transmitted.get(0).getEgress()))
        .isEqualTo("openflow:1:2");
  }
}

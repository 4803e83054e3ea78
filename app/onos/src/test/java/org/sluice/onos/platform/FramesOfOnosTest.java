// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.port;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.onlab.packet.ARP;
import org.onlab.packet.Ethernet;
import org.onlab.packet.IPv6;
import org.onlab.packet.Ip4Address;
import org.onlab.packet.Ip6Address;
import org.onlab.packet.MacAddress;
import org.onlab.packet.VlanId;
import org.onlab.packet.ndp.NeighborAdvertisement;
import org.onlab.packet.ndp.NeighborSolicitation;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.forwarding.frame.EthernetFrame;
import org.sluice.forwarding.frame.NeighbourMessage;
import org.sluice.onos.testing.Frames;

/** Frames that forwarding writes, beside those that ONOS's own classes would. */
class FramesOfOnosTest {
  private static final PortId PORT = port("s1/5");
  private static final MacAddress PROBE =
      MacAddress.valueOf(NeighbourMessage.probeMac(PORT).toBytes());
  private static final MacAddress OWNER = MacAddress.valueOf("02:00:00:00:01:05");
  private static final VlanId TAG = VlanId.vlanId((short) 7);

  private static byte[] answer(Ethernet question) {
    return EthernetFrame.parse(question.serialize())
        .flatMap(NeighbourMessage::parse)
        .orElseThrow()
        .answer(OnosTypes.mac(OWNER));
  }

  @Test
  void arpProbeIsTheSame() {
    assertThat(NeighbourMessage.probe(IpAddress.parse("10.0.0.5"), PORT))
        .isEqualTo(
            ARP.buildArpRequest(
                    PROBE.toBytes(),
                    Ip4Address.ZERO.toOctets(),
                    MacAddress.ZERO.toBytes(),
                    Ip4Address.valueOf("10.0.0.5").toOctets(),
                    MacAddress.BROADCAST.toBytes(),
                    VlanId.NONE.toShort())
                .serialize());
  }

  @Test
  void neighbourDiscoveryProbeIsTheSame() {
    Ip6Address target = Ip6Address.valueOf("fd00::12:3456");
    Ip6Address group = Ip6Address.valueOf(IPv6.getSolicitNodeAddress(target.toOctets()));
    assertThat(NeighbourMessage.probe(IpAddress.parse("fd00::12:3456"), PORT))
        .isEqualTo(
            NeighborSolicitation.buildNdpSolicit(
                    target,
                    Ip6Address.valueOf(IPv6.getLinkLocalAddress(PROBE.toBytes())),
                    group,
                    PROBE,
                    MacAddress.valueOf(IPv6.getMCastMacAddress(group.toOctets())),
                    VlanId.NONE)
                .serialize());
  }

  @Test
  void answersAreTheSameWithAndWithoutATag() {
    for (VlanId tag : new VlanId[] {VlanId.NONE, TAG}) {
      Ethernet arp = Frames.question("02:00:00:00:01:01", "10.0.0.1", "10.0.0.5");
      arp.setVlanID(tag.toShort());
      assertThat(answer(arp))
          .isEqualTo(
              Arrays.copyOf(
                  ARP.buildArpReply(Ip4Address.valueOf("10.0.0.5"), OWNER, arp).serialize(), 60));

      // ONOS's own has a hop limit of 85, with which hosts ignore it (RFC 4861 section 7.1.2).
      Ethernet discovery = Frames.solicitation("02:00:00:00:01:01", "fd00::1", "fd00::5");
      discovery.setVlanID(tag.toShort());
      Ethernet advertisement =
          NeighborAdvertisement.buildNdpAdv(Ip6Address.valueOf("fd00::5"), OWNER, discovery);
      ((IPv6) advertisement.getPayload()).setHopLimit((byte) 255);
      assertThat(answer(discovery)).isEqualTo(advertisement.serialize());
    }
  }
}

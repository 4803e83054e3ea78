// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.translate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.onlab.packet.Ethernet;
import org.onlab.packet.IPv4;
import org.onlab.packet.IpPrefix;
import org.onlab.packet.MacAddress;
import org.onlab.packet.TpPort;
import org.onlab.packet.VlanId;
import org.onosproject.net.PortNumber;
import org.onosproject.net.flow.DefaultTrafficSelector;
import org.onosproject.net.flow.TrafficSelector;
import org.onosproject.net.flow.criteria.Criteria;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFVersion;

class MatchesTest {

  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);

  /** ONOS compares selectors: one that came back changed would be an extraneous rule. */
  @Test
  void everySelectorRoundTrips() {
    List<TrafficSelector.Builder> selectors =
        List.of(
            DefaultTrafficSelector.builder(),
            ip().matchInPort(PortNumber.portNumber(5)).matchIPEcn((byte) 3),
            ip().matchIPDst(IpPrefix.valueOf("10.0.0.5/32")).matchIPDscp((byte) 46),
            ip().matchIPSrc(IpPrefix.valueOf("10.1.0.0/16")),
            ip().matchIPProtocol(IPv4.PROTOCOL_TCP)
                .matchTcpSrc(TpPort.tpPort(65535))
                .matchTcpDst(TpPort.tpPort(80)),
            ip().matchIPProtocol(IPv4.PROTOCOL_UDP).matchUdpDst(TpPort.tpPort(53)),
            ip().matchIPProtocol(IPv4.PROTOCOL_ICMP).matchIcmpType((byte) 8),
            eth(Ethernet.TYPE_IPV6).matchIPv6Dst(IpPrefix.valueOf("2001:db8::/32")),
            eth(Ethernet.TYPE_IPV6).matchInPort(PortNumber.portNumber(5)).matchIPEcn((byte) 3),
            eth(Ethernet.TYPE_ARP).matchArpTpa(org.onlab.packet.Ip4Address.valueOf("10.0.0.1")),
            eth(Ethernet.TYPE_LLDP),
            eth(Ethernet.TYPE_BSN),
            DefaultTrafficSelector.builder()
                .matchEthSrc(MacAddress.valueOf("02:00:00:00:00:01"))
                .matchEthDstMasked(
                    MacAddress.valueOf("01:00:00:00:00:00"),
                    MacAddress.valueOf("01:00:00:00:00:00")),
            DefaultTrafficSelector.builder().matchVlanId(VlanId.vlanId((short) 7)),
            DefaultTrafficSelector.builder().matchVlanId(VlanId.ANY),
            DefaultTrafficSelector.builder().matchVlanId(VlanId.NONE),
            DefaultTrafficSelector.builder().matchMetadata(0x1234567890L));
    for (TrafficSelector.Builder builder : selectors) {
      TrafficSelector selector = builder.build();
      assertEquals(selector, Matches.selector(Matches.match(FACTORY, selector)));
    }
  }

  @Test
  void unknownCriterionIsReported() {
    TrafficSelector selector =
        DefaultTrafficSelector.builder().add(Criteria.matchPbbIsid(1)).build();
    Unsupported refused = assertThrows(Unsupported.class, () -> Matches.match(FACTORY, selector));
    assertEquals("PBB_ISID:1: not supported by the lab's OpenFlow providers", refused.getMessage());
  }

  private static TrafficSelector.Builder ip() {
    return eth(Ethernet.TYPE_IPV4);
  }

  private static TrafficSelector.Builder eth(short type) {
    return DefaultTrafficSelector.builder().matchEthType(type);
  }
}

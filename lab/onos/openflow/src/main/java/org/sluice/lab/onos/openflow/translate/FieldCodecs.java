// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.translate;

import static org.sluice.lab.onos.openflow.translate.FieldCodec.exact;

import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.Map;
import org.onlab.packet.Ip4Address;
import org.onlab.packet.Ip6Address;
import org.onlab.packet.MplsLabel;
import org.onlab.packet.TpPort;
import org.onosproject.net.flow.criteria.ArpHaCriterion;
import org.onosproject.net.flow.criteria.ArpOpCriterion;
import org.onosproject.net.flow.criteria.ArpPaCriterion;
import org.onosproject.net.flow.criteria.Criteria;
import org.onosproject.net.flow.criteria.Criterion;
import org.onosproject.net.flow.criteria.Criterion.Type;
import org.onosproject.net.flow.criteria.EthTypeCriterion;
import org.onosproject.net.flow.criteria.IPDscpCriterion;
import org.onosproject.net.flow.criteria.IPEcnCriterion;
import org.onosproject.net.flow.criteria.IPProtocolCriterion;
import org.onosproject.net.flow.criteria.IPv6NDTargetAddressCriterion;
import org.onosproject.net.flow.criteria.IcmpCodeCriterion;
import org.onosproject.net.flow.criteria.IcmpTypeCriterion;
import org.onosproject.net.flow.criteria.Icmpv6CodeCriterion;
import org.onosproject.net.flow.criteria.Icmpv6TypeCriterion;
import org.onosproject.net.flow.criteria.MetadataCriterion;
import org.onosproject.net.flow.criteria.MplsBosCriterion;
import org.onosproject.net.flow.criteria.MplsCriterion;
import org.onosproject.net.flow.criteria.PortCriterion;
import org.onosproject.net.flow.criteria.TcpFlagsCriterion;
import org.onosproject.net.flow.criteria.TcpPortCriterion;
import org.onosproject.net.flow.criteria.TunnelIdCriterion;
import org.onosproject.net.flow.criteria.UdpPortCriterion;
import org.onosproject.net.flow.criteria.VlanIdCriterion;
import org.onosproject.net.flow.criteria.VlanPcpCriterion;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.ArpOpcode;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.ICMPv4Code;
import org.projectfloodlight.openflow.types.ICMPv4Type;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.IpDscp;
import org.projectfloodlight.openflow.types.IpEcn;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFBooleanValue;
import org.projectfloodlight.openflow.types.OFMetadata;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U16;
import org.projectfloodlight.openflow.types.U32;
import org.projectfloodlight.openflow.types.U64;
import org.projectfloodlight.openflow.types.U8;
import org.projectfloodlight.openflow.types.VlanPcp;

/** The header fields that flow rules may match on. */
final class FieldCodecs {

  private static final Map<Type, FieldCodec<?, ?>> BY_TYPE = new EnumMap<>(Type.class);

  static {
    addLinkLayer();
    addInternetLayer();
    addTransportLayer();
    addArp();
  }

  private FieldCodecs() {}

  /** Returns null for a criterion that is not supported. */
  static FieldCodec<?, ?> of(Criterion criterion) {
    return BY_TYPE.get(criterion.type());
  }

  static Collection<FieldCodec<?, ?>> all() {
    return new LinkedHashSet<>(BY_TYPE.values());
  }

  private static void add(FieldCodec<?, ?> codec, Type... types) {
    for (Type type : types) {
      BY_TYPE.put(type, codec);
    }
  }

  private static void addLinkLayer() {
    add(
        exact(
            MatchField.IN_PORT,
            (PortCriterion c) -> Ids.port(c.port()),
            v -> Criteria.matchInPort(Ids.port(v))),
        Type.IN_PORT);
    add(
        exact(
            MatchField.METADATA,
            (MetadataCriterion c) -> OFMetadata.ofRaw(c.metadata()),
            v -> Criteria.matchMetadata(v.getValue().getValue())),
        Type.METADATA);
    add(
        Addresses.mac(MatchField.ETH_DST, Criteria::matchEthDst, Criteria::matchEthDstMasked),
        Type.ETH_DST,
        Type.ETH_DST_MASKED);
    add(
        Addresses.mac(MatchField.ETH_SRC, Criteria::matchEthSrc, Criteria::matchEthSrcMasked),
        Type.ETH_SRC,
        Type.ETH_SRC_MASKED);
    add(
        exact(
            MatchField.ETH_TYPE,
            (EthTypeCriterion c) -> EthType.of(Short.toUnsignedInt(c.ethType().toShort())),
            v -> Criteria.matchEthType(v.getValue())),
        Type.ETH_TYPE);
    add(
        new FieldCodec<>(
            MatchField.VLAN_VID,
            (VlanIdCriterion c) -> Vlans.value(c.vlanId()),
            c -> Vlans.mask(c.vlanId()),
            (v, m) -> Criteria.matchVlanId(Vlans.vlan(v, m))),
        Type.VLAN_VID);
    add(
        exact(
            MatchField.VLAN_PCP,
            (VlanPcpCriterion c) -> VlanPcp.of(c.priority()),
            v -> Criteria.matchVlanPcp(v.getValue())),
        Type.VLAN_PCP);
    add(
        exact(
            MatchField.MPLS_LABEL,
            (MplsCriterion c) -> U32.of(c.label().toInt()),
            v -> Criteria.matchMplsLabel(MplsLabel.mplsLabel((int) v.getValue()))),
        Type.MPLS_LABEL);
    add(
        exact(
            MatchField.MPLS_BOS,
            (MplsBosCriterion c) -> OFBooleanValue.of(c.mplsBos()),
            v -> Criteria.matchMplsBos(v.getValue())),
        Type.MPLS_BOS);
    add(
        exact(
            MatchField.TUNNEL_ID,
            (TunnelIdCriterion c) -> U64.of(c.tunnelId()),
            v -> Criteria.matchTunnelId(v.getValue())),
        Type.TUNNEL_ID);
  }

  private static void addInternetLayer() {
    add(
        exact(
            MatchField.IP_DSCP,
            (IPDscpCriterion c) -> IpDscp.of(c.ipDscp()),
            v -> Criteria.matchIPDscp(v.getDscpValue())),
        Type.IP_DSCP);
    add(
        exact(
            MatchField.IP_ECN,
            (IPEcnCriterion c) -> IpEcn.of(c.ipEcn()),
            v -> Criteria.matchIPEcn(v.getEcnValue())),
        Type.IP_ECN);
    add(
        exact(
            MatchField.IP_PROTO,
            (IPProtocolCriterion c) -> IpProtocol.of(c.protocol()),
            v -> Criteria.matchIPProtocol(v.getIpProtocolNumber())),
        Type.IP_PROTO);
    add(Addresses.ip4(MatchField.IPV4_SRC, Criteria::matchIPSrc), Type.IPV4_SRC);
    add(Addresses.ip4(MatchField.IPV4_DST, Criteria::matchIPDst), Type.IPV4_DST);
    add(Addresses.ip6(MatchField.IPV6_SRC, Criteria::matchIPv6Src), Type.IPV6_SRC);
    add(Addresses.ip6(MatchField.IPV6_DST, Criteria::matchIPv6Dst), Type.IPV6_DST);
    add(
        exact(
            MatchField.IPV6_ND_TARGET,
            (IPv6NDTargetAddressCriterion c) -> IPv6Address.of(c.targetAddress().toOctets()),
            v -> Criteria.matchIPv6NDTargetAddress(Ip6Address.valueOf(v.getBytes()))),
        Type.IPV6_ND_TARGET);
    add(
        exact(
            MatchField.ICMPV4_TYPE,
            (IcmpTypeCriterion c) -> ICMPv4Type.of(c.icmpType()),
            v -> Criteria.matchIcmpType(v.getType())),
        Type.ICMPV4_TYPE);
    add(
        exact(
            MatchField.ICMPV4_CODE,
            (IcmpCodeCriterion c) -> ICMPv4Code.of(c.icmpCode()),
            v -> Criteria.matchIcmpCode(v.getCode())),
        Type.ICMPV4_CODE);
    add(
        exact(
            MatchField.ICMPV6_TYPE,
            (Icmpv6TypeCriterion c) -> U8.of(c.icmpv6Type()),
            v -> Criteria.matchIcmpv6Type(v.getValue())),
        Type.ICMPV6_TYPE);
    add(
        exact(
            MatchField.ICMPV6_CODE,
            (Icmpv6CodeCriterion c) -> U8.of(c.icmpv6Code()),
            v -> Criteria.matchIcmpv6Code(v.getValue())),
        Type.ICMPV6_CODE);
  }

  private static void addTransportLayer() {
    add(
        exact(
            MatchField.TCP_SRC,
            (TcpPortCriterion c) -> TransportPort.of(c.tcpPort().toInt()),
            v -> Criteria.matchTcpSrc(TpPort.tpPort(v.getPort()))),
        Type.TCP_SRC);
    add(
        exact(
            MatchField.TCP_DST,
            (TcpPortCriterion c) -> TransportPort.of(c.tcpPort().toInt()),
            v -> Criteria.matchTcpDst(TpPort.tpPort(v.getPort()))),
        Type.TCP_DST);
    add(
        exact(
            MatchField.TCP_FLAGS,
            (TcpFlagsCriterion c) -> U16.of(c.flags()),
            v -> Criteria.matchTcpFlags(v.getValue())),
        Type.TCP_FLAGS);
    add(
        exact(
            MatchField.UDP_SRC,
            (UdpPortCriterion c) -> TransportPort.of(c.udpPort().toInt()),
            v -> Criteria.matchUdpSrc(TpPort.tpPort(v.getPort()))),
        Type.UDP_SRC);
    add(
        exact(
            MatchField.UDP_DST,
            (UdpPortCriterion c) -> TransportPort.of(c.udpPort().toInt()),
            v -> Criteria.matchUdpDst(TpPort.tpPort(v.getPort()))),
        Type.UDP_DST);
  }

  private static void addArp() {
    add(
        exact(
            MatchField.ARP_OP,
            (ArpOpCriterion c) -> ArpOpcode.of(c.arpOp()),
            v -> Criteria.matchArpOp(v.getOpcode())),
        Type.ARP_OP);
    add(
        exact(
            MatchField.ARP_SPA,
            (ArpPaCriterion c) -> IPv4Address.of(c.ip().toInt()),
            v -> Criteria.matchArpSpa(Ip4Address.valueOf(v.getInt()))),
        Type.ARP_SPA);
    add(
        exact(
            MatchField.ARP_TPA,
            (ArpPaCriterion c) -> IPv4Address.of(c.ip().toInt()),
            v -> Criteria.matchArpTpa(Ip4Address.valueOf(v.getInt()))),
        Type.ARP_TPA);
    add(
        exact(
            MatchField.ARP_SHA,
            (ArpHaCriterion c) -> MacAddress.of(c.mac().toLong()),
            v -> Criteria.matchArpSha(Addresses.mac(v))),
        Type.ARP_SHA);
    add(
        exact(
            MatchField.ARP_THA,
            (ArpHaCriterion c) -> MacAddress.of(c.mac().toLong()),
            v -> Criteria.matchArpTha(Addresses.mac(v))),
        Type.ARP_THA);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.translate;

import java.util.HashMap;
import java.util.Map;
import org.onlab.packet.Ip4Address;
import org.onlab.packet.IpAddress;
import org.onlab.packet.MplsLabel;
import org.onlab.packet.TpPort;
import org.onlab.packet.VlanId;
import org.onosproject.net.flow.instructions.Instruction;
import org.onosproject.net.flow.instructions.Instructions;
import org.onosproject.net.flow.instructions.L2ModificationInstruction;
import org.onosproject.net.flow.instructions.L2ModificationInstruction.L2SubType;
import org.onosproject.net.flow.instructions.L2ModificationInstruction.ModEtherInstruction;
import org.onosproject.net.flow.instructions.L2ModificationInstruction.ModMplsBosInstruction;
import org.onosproject.net.flow.instructions.L2ModificationInstruction.ModMplsLabelInstruction;
import org.onosproject.net.flow.instructions.L2ModificationInstruction.ModTunnelIdInstruction;
import org.onosproject.net.flow.instructions.L2ModificationInstruction.ModVlanIdInstruction;
import org.onosproject.net.flow.instructions.L2ModificationInstruction.ModVlanPcpInstruction;
import org.onosproject.net.flow.instructions.L3ModificationInstruction;
import org.onosproject.net.flow.instructions.L3ModificationInstruction.L3SubType;
import org.onosproject.net.flow.instructions.L3ModificationInstruction.ModArpEthInstruction;
import org.onosproject.net.flow.instructions.L3ModificationInstruction.ModArpIPInstruction;
import org.onosproject.net.flow.instructions.L3ModificationInstruction.ModArpOpInstruction;
import org.onosproject.net.flow.instructions.L3ModificationInstruction.ModDscpInstruction;
import org.onosproject.net.flow.instructions.L3ModificationInstruction.ModIPInstruction;
import org.onosproject.net.flow.instructions.L4ModificationInstruction;
import org.onosproject.net.flow.instructions.L4ModificationInstruction.L4SubType;
import org.onosproject.net.flow.instructions.L4ModificationInstruction.ModTransportPortInstruction;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.ArpOpcode;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IpDscp;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFBooleanValue;
import org.projectfloodlight.openflow.types.OFVlanVidMatch;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U32;
import org.projectfloodlight.openflow.types.U64;
import org.projectfloodlight.openflow.types.VlanPcp;

/** The header fields that treatments may rewrite. */
final class SetFieldCodecs {

  private static final Map<Enum<?>, SetFieldCodec<?, ?>> BY_SUBTYPE = new HashMap<>();
  private static final Map<MatchField<?>, SetFieldCodec<?, ?>> BY_FIELD = new HashMap<>();

  static {
    addLinkLayer();
    addInternetLayer();
    addTransportLayer();
  }

  private SetFieldCodecs() {}

  /** Returns null for an instruction that rewrites no field, or one that is not supported. */
  static SetFieldCodec<?, ?> of(Instruction instruction) {
    switch (instruction.type()) {
      case L2MODIFICATION:
        return BY_SUBTYPE.get(((L2ModificationInstruction) instruction).subtype());
      case L3MODIFICATION:
        return BY_SUBTYPE.get(((L3ModificationInstruction) instruction).subtype());
      case L4MODIFICATION:
        return BY_SUBTYPE.get(((L4ModificationInstruction) instruction).subtype());
      default:
        return null;
    }
  }

  /** Returns null for a field that is not supported. */
  static SetFieldCodec<?, ?> of(MatchField<?> field) {
    return BY_FIELD.get(field);
  }

  private static void add(Enum<?> subtype, SetFieldCodec<?, ?> codec) {
    BY_SUBTYPE.put(subtype, codec);
    BY_FIELD.put(codec.field(), codec);
  }

  private static void addLinkLayer() {
    add(
        L2SubType.ETH_SRC,
        new SetFieldCodec<>(
            MatchField.ETH_SRC,
            (ModEtherInstruction i) -> MacAddress.of(i.mac().toLong()),
            v -> Instructions.modL2Src(Addresses.mac(v))));
    add(
        L2SubType.ETH_DST,
        new SetFieldCodec<>(
            MatchField.ETH_DST,
            (ModEtherInstruction i) -> MacAddress.of(i.mac().toLong()),
            v -> Instructions.modL2Dst(Addresses.mac(v))));
    add(
        L2SubType.VLAN_ID,
        new SetFieldCodec<>(
            MatchField.VLAN_VID,
            (ModVlanIdInstruction i) -> OFVlanVidMatch.ofVlan(i.vlanId().toShort()),
            v -> Instructions.modVlanId(VlanId.vlanId(v.getVlan()))));
    add(
        L2SubType.VLAN_PCP,
        new SetFieldCodec<>(
            MatchField.VLAN_PCP,
            (ModVlanPcpInstruction i) -> VlanPcp.of(i.vlanPcp()),
            v -> Instructions.modVlanPcp(v.getValue())));
    add(
        L2SubType.MPLS_LABEL,
        new SetFieldCodec<>(
            MatchField.MPLS_LABEL,
            (ModMplsLabelInstruction i) -> U32.of(i.label().toInt()),
            v -> Instructions.modMplsLabel(MplsLabel.mplsLabel((int) v.getValue()))));
    add(
        L2SubType.MPLS_BOS,
        new SetFieldCodec<>(
            MatchField.MPLS_BOS,
            (ModMplsBosInstruction i) -> OFBooleanValue.of(i.mplsBos()),
            v -> Instructions.modMplsBos(v.getValue())));
    add(
        L2SubType.TUNNEL_ID,
        new SetFieldCodec<>(
            MatchField.TUNNEL_ID,
            (ModTunnelIdInstruction i) -> U64.of(i.tunnelId()),
            v -> Instructions.modTunnelId(v.getValue())));
  }

  private static void addInternetLayer() {
    add(
        L3SubType.IPV4_SRC,
        new SetFieldCodec<>(
            MatchField.IPV4_SRC,
            (ModIPInstruction i) -> IPv4Address.of(i.ip().toOctets()),
            v -> Instructions.modL3Src(IpAddress.valueOf(v.getInt()))));
    add(
        L3SubType.IPV4_DST,
        new SetFieldCodec<>(
            MatchField.IPV4_DST,
            (ModIPInstruction i) -> IPv4Address.of(i.ip().toOctets()),
            v -> Instructions.modL3Dst(IpAddress.valueOf(v.getInt()))));
    add(
        L3SubType.IP_DSCP,
        new SetFieldCodec<>(
            MatchField.IP_DSCP,
            (ModDscpInstruction i) -> IpDscp.of(i.dscp()),
            v -> Instructions.modIpDscp(v.getDscpValue())));
    add(
        L3SubType.ARP_OP,
        new SetFieldCodec<>(
            MatchField.ARP_OP,
            (ModArpOpInstruction i) -> ArpOpcode.of((int) i.op()),
            v -> Instructions.modL3ArpOp((short) v.getOpcode())));
    add(
        L3SubType.ARP_SPA,
        new SetFieldCodec<>(
            MatchField.ARP_SPA,
            (ModArpIPInstruction i) -> IPv4Address.of(i.ip().toOctets()),
            v -> Instructions.modArpSpa(Ip4Address.valueOf(v.getInt()))));
    add(
        L3SubType.ARP_TPA,
        new SetFieldCodec<>(
            MatchField.ARP_TPA,
            (ModArpIPInstruction i) -> IPv4Address.of(i.ip().toOctets()),
            v -> Instructions.modArpTpa(Ip4Address.valueOf(v.getInt()))));
    add(
        L3SubType.ARP_SHA,
        new SetFieldCodec<>(
            MatchField.ARP_SHA,
            (ModArpEthInstruction i) -> MacAddress.of(i.mac().toLong()),
            v -> Instructions.modArpSha(Addresses.mac(v))));
    add(
        L3SubType.ARP_THA,
        new SetFieldCodec<>(
            MatchField.ARP_THA,
            (ModArpEthInstruction i) -> MacAddress.of(i.mac().toLong()),
            v -> Instructions.modArpTha(Addresses.mac(v))));
  }

  private static void addTransportLayer() {
    add(
        L4SubType.TCP_SRC,
        new SetFieldCodec<>(
            MatchField.TCP_SRC, SetFieldCodecs::portOf, v -> Instructions.modTcpSrc(tpPort(v))));
    add(
        L4SubType.TCP_DST,
        new SetFieldCodec<>(
            MatchField.TCP_DST, SetFieldCodecs::portOf, v -> Instructions.modTcpDst(tpPort(v))));
    add(
        L4SubType.UDP_SRC,
        new SetFieldCodec<>(
            MatchField.UDP_SRC, SetFieldCodecs::portOf, v -> Instructions.modUdpSrc(tpPort(v))));
    add(
        L4SubType.UDP_DST,
        new SetFieldCodec<>(
            MatchField.UDP_DST, SetFieldCodecs::portOf, v -> Instructions.modUdpDst(tpPort(v))));
  }

  private static TransportPort portOf(ModTransportPortInstruction instruction) {
    return TransportPort.of(instruction.port().toInt());
  }

  private static TpPort tpPort(TransportPort port) {
    return TpPort.tpPort(port.getPort());
  }
}

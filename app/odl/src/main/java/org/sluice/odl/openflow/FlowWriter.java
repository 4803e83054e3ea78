// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.inet.types.rev130715.Dscp;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.inet.types.rev130715.Ipv4Prefix;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.inet.types.rev130715.Ipv6Address;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.inet.types.rev130715.Ipv6Prefix;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.inet.types.rev130715.PortNumber;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.inet.types.rev130715.Uri;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.yang.types.rev130715.MacAddress;
import org.opendaylight.yang.gen.v1.urn.opendaylight.action.types.rev131112.action.action.GroupActionCase;
import org.opendaylight.yang.gen.v1.urn.opendaylight.action.types.rev131112.action.action.GroupActionCaseBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.action.types.rev131112.action.action.OutputActionCaseBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.action.types.rev131112.action.action.group.action._case.GroupAction;
import org.opendaylight.yang.gen.v1.urn.opendaylight.action.types.rev131112.action.action.group.action._case.GroupActionBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.action.types.rev131112.action.action.output.action._case.OutputActionBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.action.types.rev131112.action.list.Action;
import org.opendaylight.yang.gen.v1.urn.opendaylight.action.types.rev131112.action.list.ActionBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.action.types.rev131112.action.list.ActionKey;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.flow.Instructions;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.flow.InstructionsBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.flow.MatchBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.instruction.Instruction;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.instruction.instruction.ApplyActionsCaseBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.instruction.instruction.GoToTableCaseBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.instruction.instruction.MeterCaseBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.instruction.instruction.apply.actions._case.ApplyActions;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.instruction.instruction.apply.actions._case.ApplyActionsBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.instruction.instruction.go.to.table._case.GoToTable;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.instruction.instruction.go.to.table._case.GoToTableBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.instruction.instruction.meter._case.Meter;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.instruction.instruction.meter._case.MeterBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.instruction.list.InstructionBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.instruction.list.InstructionKey;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.NodeConnectorId;
import org.opendaylight.yang.gen.v1.urn.opendaylight.l2.types.rev130827.EtherType;
import org.opendaylight.yang.gen.v1.urn.opendaylight.meter.types.rev130918.MeterId;
import org.opendaylight.yang.gen.v1.urn.opendaylight.model.match.types.rev131026.ethernet.match.fields.EthernetSource;
import org.opendaylight.yang.gen.v1.urn.opendaylight.model.match.types.rev131026.ethernet.match.fields.EthernetSourceBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.model.match.types.rev131026.ethernet.match.fields.EthernetType;
import org.opendaylight.yang.gen.v1.urn.opendaylight.model.match.types.rev131026.ethernet.match.fields.EthernetTypeBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.model.match.types.rev131026.match.EthernetMatchBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.model.match.types.rev131026.match.Icmpv6Match;
import org.opendaylight.yang.gen.v1.urn.opendaylight.model.match.types.rev131026.match.Icmpv6MatchBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.model.match.types.rev131026.match.IpMatchBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.model.match.types.rev131026.match.layer._3.match.ArpMatchBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.model.match.types.rev131026.match.layer._3.match.Ipv4MatchBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.model.match.types.rev131026.match.layer._3.match.Ipv6MatchBuilder;
import org.opendaylight.yang.gen.v1.urn.opendaylight.model.match.types.rev131026.match.layer._4.match.TcpMatchBuilder;
import org.opendaylight.yangtools.yang.common.Uint16;
import org.opendaylight.yangtools.yang.common.Uint32;
import org.opendaylight.yangtools.yang.common.Uint8;
import org.sluice.api.IpAddress;
import org.sluice.forwarding.spi.Match;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.Treatment;
import org.sluice.odl.Datapaths;

/** Turns rules into OpenDaylight's flows; {@link FlowReader} turns them back. */
final class FlowWriter {
  static final String CONTROLLER = "CONTROLLER";
  private static final int TYPE_IPV6 = 0x86dd;
  private static final int TYPE_ARP = 0x0806;

  /** The whole packet: OFPCML_NO_BUFFER; OpenFlow 1.3.5, section 7.2.5. */
  private static final Uint16 WHOLE_PACKET = Uint16.MAX_VALUE;

  private FlowWriter() {}

  static org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.flow.Match match(
      Rule.Key key) {
    Match match = key.match();
    MatchBuilder to = new MatchBuilder();
    match
        .inPort()
        .ifPresent(port -> to.setInPort(connector(Datapaths.nodeId(key.datapath()), port)));
    if (match.ethType().isPresent() || match.ethSrc().isPresent()) {
      EthernetMatchBuilder ethernet = new EthernetMatchBuilder();
      match.ethType().ifPresent(type -> ethernet.setEthernetType(ethType(type)));
      match.ethSrc().ifPresent(mac -> ethernet.setEthernetSource(source(mac)));
      to.setEthernetMatch(ethernet.build());
    }
    if (match.ipProto().isPresent() || match.ipDscp().isPresent() || match.ipEcn().isPresent()) {
      IpMatchBuilder ip = new IpMatchBuilder();
      match.ipProto().ifPresent(protocol -> ip.setIpProtocol(Uint8.valueOf(protocol)));
      match.ipDscp().ifPresent(dscp -> ip.setIpDscp(new Dscp(Uint8.valueOf(dscp))));
      match.ipEcn().ifPresent(codepoint -> ip.setIpEcn(Uint8.valueOf(codepoint)));
      to.setIpMatch(ip.build());
    }
    network(match, to);
    if (match.tcpSrc().isPresent() || match.tcpDst().isPresent()) {
      TcpMatchBuilder tcp = new TcpMatchBuilder();
      match.tcpSrc().ifPresent(port -> tcp.setTcpSourcePort(port(port)));
      match.tcpDst().ifPresent(port -> tcp.setTcpDestinationPort(port(port)));
      to.setLayer4Match(tcp.build());
    }
    match.icmpv6Type().ifPresent(type -> to.setIcmpv6Match(icmpv6(type)));
    return to.build();
  }

  private static EthernetType ethType(int type) {
    return new EthernetTypeBuilder().setType(new EtherType(Uint32.valueOf(type))).build();
  }

  private static EthernetSource source(org.sluice.api.MacAddress mac) {
    return new EthernetSourceBuilder().setAddress(new MacAddress(mac.toString())).build();
  }

  private static Icmpv6Match icmpv6(int type) {
    return new Icmpv6MatchBuilder().setIcmpv6Type(Uint8.valueOf(type)).build();
  }

  /** OpenDaylight has room for the fields of one protocol. */
  private static void network(Match match, MatchBuilder to) {
    boolean hasAddresses = match.ipSrc().isPresent() || match.ipDst().isPresent();
    int ethType = match.ethType().orElse(0);
    if (ethType == TYPE_ARP && (match.arpOp().isPresent() || match.arpTpa().isPresent())) {
      ArpMatchBuilder arp = new ArpMatchBuilder();
      match.arpOp().ifPresent(operation -> arp.setArpOp(Uint16.valueOf(operation)));
      match.arpTpa().ifPresent(ip -> arp.setArpTargetTransportAddress(ipv4(ip)));
      to.setLayer3Match(arp.build());
    } else if (ethType == TYPE_IPV6 && (hasAddresses || match.ipv6NdTarget().isPresent())) {
      Ipv6MatchBuilder ipv6 = new Ipv6MatchBuilder();
      match.ipSrc().ifPresent(ip -> ipv6.setIpv6Source(ipv6(ip)));
      match.ipDst().ifPresent(ip -> ipv6.setIpv6Destination(ipv6(ip)));
      match.ipv6NdTarget().ifPresent(ip -> ipv6.setIpv6NdTarget(new Ipv6Address(ip.toString())));
      to.setLayer3Match(ipv6.build());
    } else if (hasAddresses) {
      Ipv4MatchBuilder ipv4 = new Ipv4MatchBuilder();
      match.ipSrc().ifPresent(ip -> ipv4.setIpv4Source(ipv4(ip)));
      match.ipDst().ifPresent(ip -> ipv4.setIpv4Destination(ipv4(ip)));
      to.setLayer3Match(ipv4.build());
    }
  }

  private static Ipv4Prefix ipv4(IpAddress ip) {
    return new Ipv4Prefix(ip + "/32");
  }

  private static Ipv6Prefix ipv6(IpAddress ip) {
    return new Ipv6Prefix(ip + "/128");
  }

  private static PortNumber port(int number) {
    return new PortNumber(Uint16.valueOf(number));
  }

  static NodeConnectorId connector(String nodeId, long port) {
    return new NodeConnectorId(nodeId + ":" + port);
  }

  /** Without any a packet is dropped. */
  static Instructions instructions(Treatment treatment) {
    Map<
            InstructionKey,
            org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.instruction.list
                .Instruction>
        all = new LinkedHashMap<>();
    treatment.meter().ifPresent(meter -> add(all, meter(meter)));
    if (treatment.group().isPresent() || !treatment.outputs().isEmpty()) {
      Map<ActionKey, Action> actions = outputs(treatment.outputs());
      treatment.group().ifPresent(group -> add(actions, group(group)));
      ApplyActions apply = new ApplyActionsBuilder().setAction(actions).build();
      add(all, new ApplyActionsCaseBuilder().setApplyActions(apply).build());
    }
    treatment.gotoTable().ifPresent(table -> add(all, gotoTable(table)));
    return new InstructionsBuilder().setInstruction(all).build();
  }

  private static Instruction meter(long id) {
    Meter meter = new MeterBuilder().setMeterId(new MeterId(Uint32.valueOf(id))).build();
    return new MeterCaseBuilder().setMeter(meter).build();
  }

  private static Instruction gotoTable(int number) {
    GoToTable table = new GoToTableBuilder().setTableId(Uint8.valueOf(number)).build();
    return new GoToTableCaseBuilder().setGoToTable(table).build();
  }

  private static GroupActionCase group(long id) {
    GroupAction action = new GroupActionBuilder().setGroupId(Uint32.valueOf(id)).build();
    return new GroupActionCaseBuilder().setGroupAction(action).build();
  }

  private static void add(
      Map<
              InstructionKey,
              org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.instruction.list
                  .Instruction>
          all,
      Instruction instruction) {
    InstructionKey key = new InstructionKey(all.size());
    all.put(key, new InstructionBuilder().withKey(key).setInstruction(instruction).build());
  }

  /** Sends packets out of these ports, {@link Treatment#CONTROLLER} for one. */
  static Map<ActionKey, Action> outputs(Collection<Long> ports) {
    Map<ActionKey, Action> actions = new LinkedHashMap<>();
    for (long port : List.copyOf(ports)) {
      String name = port == Treatment.CONTROLLER ? CONTROLLER : Long.toString(port);
      add(
          actions,
          new OutputActionCaseBuilder()
              .setOutputAction(
                  new OutputActionBuilder()
                      .setOutputNodeConnector(new Uri(name))
                      .setMaxLength(WHOLE_PACKET)
                      .build())
              .build());
    }
    return actions;
  }

  private static void add(
      Map<ActionKey, Action> actions,
      org.opendaylight.yang.gen.v1.urn.opendaylight.action.types.rev131112.action.Action action) {
    ActionKey key = new ActionKey(actions.size());
    actions.put(key, new ActionBuilder().withKey(key).setAction(action).build());
  }
}

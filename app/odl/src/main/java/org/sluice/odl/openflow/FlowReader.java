// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.inet.types.rev130715.Ipv4Prefix;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.inet.types.rev130715.Ipv6Prefix;
import org.opendaylight.yang.gen.v1.urn.opendaylight.action.types.rev131112.action.action.GroupActionCase;
import org.opendaylight.yang.gen.v1.urn.opendaylight.action.types.rev131112.action.action.OutputActionCase;
import org.opendaylight.yang.gen.v1.urn.opendaylight.action.types.rev131112.action.list.Action;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.flow.Instructions;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.flow.Match;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.instruction.instruction.ApplyActionsCase;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.instruction.instruction.GoToTableCase;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.instruction.instruction.MeterCase;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.instruction.list.Instruction;
import org.opendaylight.yang.gen.v1.urn.opendaylight.model.match.types.rev131026.match.EthernetMatch;
import org.opendaylight.yang.gen.v1.urn.opendaylight.model.match.types.rev131026.match.Layer3Match;
import org.opendaylight.yang.gen.v1.urn.opendaylight.model.match.types.rev131026.match.layer._3.match.ArpMatch;
import org.opendaylight.yang.gen.v1.urn.opendaylight.model.match.types.rev131026.match.layer._3.match.Ipv4Match;
import org.opendaylight.yang.gen.v1.urn.opendaylight.model.match.types.rev131026.match.layer._3.match.Ipv6Match;
import org.opendaylight.yang.gen.v1.urn.opendaylight.model.match.types.rev131026.match.layer._4.match.TcpMatch;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.forwarding.spi.Match.Builder;
import org.sluice.forwarding.spi.Treatment;

/** Turns OpenDaylight's flows into rules as {@link FlowWriter} writes them. */
final class FlowReader {

  /** It matches or does what no rule of ours does. */
  private static final class Foreign extends Exception {
    private static final long serialVersionUID = 1;
  }

  private FlowReader() {}

  /** Empty: it matches what no rule of ours does, as one of another version may. */
  static Optional<org.sluice.forwarding.spi.Match> match(Match from) {
    Builder match = org.sluice.forwarding.spi.Match.builder();
    if (from == null) {
      return Optional.of(match.build());
    }
    try {
      refuse(
          from.getInPhyPort(),
          from.getPacketTypeMatch(),
          from.getMetadata(),
          from.getTunnel(),
          from.getVlanMatch(),
          from.getIcmpv4Match(),
          from.getProtocolMatchFields(),
          from.getTcpFlagsMatch());
      if (from.getInPort() != null) {
        match.inPort(port(from.getInPort().getValue()).orElseThrow(Foreign::new));
      }
      ethernet(from.getEthernetMatch(), match);
      if (from.getIpMatch() != null) {
        ifThere(from.getIpMatch().getIpProtocol(), value -> match.ipProto(value.toJava()));
        ifThere(from.getIpMatch().getIpDscp(), value -> match.ipDscp(value.getValue().toJava()));
        ifThere(from.getIpMatch().getIpEcn(), value -> match.ipEcn(value.toJava()));
      }
      network(from.getLayer3Match(), match);
      if (from.getLayer4Match() instanceof TcpMatch tcp) {
        refuse(tcp.getTcpSourcePortMask(), tcp.getTcpDestinationPortMask());
        ifThere(tcp.getTcpSourcePort(), port -> match.tcpSrc(port.getValue().toJava()));
        ifThere(tcp.getTcpDestinationPort(), port -> match.tcpDst(port.getValue().toJava()));
      } else {
        refuse(from.getLayer4Match());
      }
      if (from.getIcmpv6Match() != null) {
        refuse(from.getIcmpv6Match().getIcmpv6Code());
        ifThere(from.getIcmpv6Match().getIcmpv6Type(), type -> match.icmpv6Type(type.toJava()));
      }
      return Optional.of(match.build());
    } catch (Foreign e) {
      return Optional.empty();
    }
  }

  private static void ethernet(EthernetMatch from, Builder match) throws Foreign {
    if (from == null) {
      return;
    }
    refuse(from.getEthernetDestination());
    if (from.getEthernetSource() != null) {
      refuse(from.getEthernetSource().getMask());
      match.ethSrc(MacAddress.parse(from.getEthernetSource().getAddress().getValue()));
    }
    if (from.getEthernetType() != null) {
      match.ethType(from.getEthernetType().getType().getValue().intValue());
    }
  }

  private static void network(Layer3Match from, Builder match) throws Foreign {
    if (from instanceof Ipv4Match ipv4) {
      ifThere(ipv4.getIpv4Source(), prefix -> match.ipSrc(address(prefix)));
      ifThere(ipv4.getIpv4Destination(), prefix -> match.ipDst(address(prefix)));
    } else if (from instanceof Ipv6Match ipv6) {
      refuse(
          ipv6.getIpv6ExtHeader(), ipv6.getIpv6Label(), ipv6.getIpv6NdSll(), ipv6.getIpv6NdTll());
      ifThere(ipv6.getIpv6Source(), prefix -> match.ipSrc(address(prefix)));
      ifThere(ipv6.getIpv6Destination(), prefix -> match.ipDst(address(prefix)));
      ifThere(ipv6.getIpv6NdTarget(), ip -> match.ipv6NdTarget(IpAddress.parse(ip.getValue())));
    } else if (from instanceof ArpMatch arp) {
      refuse(
          arp.getArpSourceHardwareAddress(),
          arp.getArpTargetHardwareAddress(),
          arp.getArpSourceTransportAddress());
      ifThere(arp.getArpOp(), operation -> match.arpOp(operation.toJava()));
      ifThere(arp.getArpTargetTransportAddress(), prefix -> match.arpTpa(address(prefix)));
    } else {
      refuse(from);
    }
  }

  private static IpAddress address(Ipv4Prefix prefix) throws Foreign {
    return address(prefix.getValue(), "/32");
  }

  private static IpAddress address(Ipv6Prefix prefix) throws Foreign {
    return address(prefix.getValue(), "/128");
  }

  private static IpAddress address(String prefix, String whole) throws Foreign {
    if (!prefix.endsWith(whole)) {
      throw new Foreign();
    }
    return IpAddress.parse(prefix.substring(0, prefix.length() - whole.length()));
  }

  /** {@code openflow:1:2} or {@code 2}; empty: a reserved one. */
  static Optional<Long> port(String connector) {
    String number = connector.substring(connector.lastIndexOf(':') + 1);
    return number.chars().allMatch(Character::isDigit) && !number.isEmpty()
        ? Optional.of(Long.parseLong(number))
        : Optional.empty();
  }

  private interface Taker<T> {
    void take(T value) throws Foreign;
  }

  private static <T> void ifThere(T value, Taker<T> taker) throws Foreign {
    if (value != null) {
      taker.take(value);
    }
  }

  private static void refuse(Object... fields) throws Foreign {
    for (Object field : fields) {
      if (field != null) {
        throw new Foreign();
      }
    }
  }

  /** Empty: it does what no rule of ours does. */
  static Optional<Treatment> treatment(Instructions from) {
    Treatment.Builder steps = Treatment.builder();
    try {
      for (Instruction each : instructions(from)) {
        if (each.getInstruction() instanceof MeterCase meter) {
          steps.meter(meter.getMeter().getMeterId().getValue().longValue());
        } else if (each.getInstruction() instanceof GoToTableCase table) {
          steps.gotoTable(table.getGoToTable().getTableId().toJava());
        } else if (each.getInstruction() instanceof ApplyActionsCase apply) {
          actions(apply.getApplyActions().nonnullAction().values().stream(), steps);
        } else {
          throw new Foreign();
        }
      }
      return Optional.of(steps.build());
    } catch (Foreign e) {
      return Optional.empty();
    }
  }

  private static Iterable<Instruction> instructions(Instructions from) {
    return from == null ? List.of() : from.nonnullInstruction().values();
  }

  private static void actions(Stream<Action> from, Treatment.Builder steps) throws Foreign {
    List<Long> outputs = new ArrayList<>();
    OptionalLong group = OptionalLong.empty();
    for (Action each :
        (Iterable<Action>) from.sorted(Comparator.comparing(Action::getOrder))::iterator) {
      if (each.getAction() instanceof OutputActionCase output) {
        String name = output.getOutputAction().getOutputNodeConnector().getValue();
        outputs.add(
            name.endsWith(FlowWriter.CONTROLLER)
                ? Treatment.CONTROLLER
                : port(name).orElseThrow(Foreign::new));
      } else if (each.getAction() instanceof GroupActionCase its && group.isEmpty()) {
        group = OptionalLong.of(its.getGroupAction().getGroupId().longValue());
      } else {
        throw new Foreign();
      }
    }
    group.ifPresent(steps::group);
    steps.outputs(outputs);
  }
}

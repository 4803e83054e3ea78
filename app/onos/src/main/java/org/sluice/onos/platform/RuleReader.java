// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.onosproject.net.PortNumber;
import org.onosproject.net.flow.FlowRule;
import org.onosproject.net.flow.IndexTableId;
import org.onosproject.net.flow.TrafficSelector;
import org.onosproject.net.flow.TrafficTreatment;
import org.onosproject.net.flow.criteria.ArpOpCriterion;
import org.onosproject.net.flow.criteria.ArpPaCriterion;
import org.onosproject.net.flow.criteria.Criterion;
import org.onosproject.net.flow.criteria.EthCriterion;
import org.onosproject.net.flow.criteria.EthTypeCriterion;
import org.onosproject.net.flow.criteria.IPCriterion;
import org.onosproject.net.flow.criteria.IPDscpCriterion;
import org.onosproject.net.flow.criteria.IPEcnCriterion;
import org.onosproject.net.flow.criteria.IPProtocolCriterion;
import org.onosproject.net.flow.criteria.IPv6NDTargetAddressCriterion;
import org.onosproject.net.flow.criteria.Icmpv6TypeCriterion;
import org.onosproject.net.flow.criteria.PortCriterion;
import org.onosproject.net.flow.criteria.TcpPortCriterion;
import org.onosproject.net.flow.instructions.Instruction;
import org.onosproject.net.flow.instructions.Instructions;
import org.sluice.api.IpAddress;
import org.sluice.forwarding.spi.Match;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.Treatment;

/** Turns ONOS's rules into those that {@link RuleWriter} writes. */
final class RuleReader {
  private RuleReader() {}

  /** Empty: it matches what those never do, as one of another version may. */
  static Optional<Rule.Key> key(FlowRule rule) {
    return rule.table() instanceof IndexTableId
        ? match(rule.selector())
            .map(
                match ->
                    Rule.Key.of(
                        rule.deviceId().toString(),
                        ((IndexTableId) rule.table()).id(),
                        rule.priority(),
                        match))
        : Optional.empty();
  }

  private static Optional<Match> match(TrafficSelector selector) {
    Match.Builder match = Match.builder();
    for (Criterion criterion : selector.criteria()) {
      if (!add(match, criterion)) {
        return Optional.empty();
      }
    }
    return Optional.of(match.build());
  }

  private static boolean add(Match.Builder match, Criterion criterion) {
    switch (criterion.type()) {
      case IN_PORT:
        match.inPort(((PortCriterion) criterion).port().toLong());
        return true;
      case ETH_TYPE:
        match.ethType(((EthTypeCriterion) criterion).ethType().toShort() & 0xffff);
        return true;
      case ETH_SRC:
        match.ethSrc(OnosTypes.mac(((EthCriterion) criterion).mac()));
        return true;
      case IP_PROTO:
        match.ipProto(((IPProtocolCriterion) criterion).protocol());
        return true;
      case IP_DSCP:
        match.ipDscp(((IPDscpCriterion) criterion).ipDscp());
        return true;
      case IP_ECN:
        match.ipEcn(((IPEcnCriterion) criterion).ipEcn());
        return true;
      case IPV4_SRC:
      case IPV6_SRC:
        match.ipSrc(address((IPCriterion) criterion));
        return true;
      case IPV4_DST:
      case IPV6_DST:
        match.ipDst(address((IPCriterion) criterion));
        return true;
      case TCP_SRC:
        match.tcpSrc(((TcpPortCriterion) criterion).tcpPort().toInt());
        return true;
      case TCP_DST:
        match.tcpDst(((TcpPortCriterion) criterion).tcpPort().toInt());
        return true;
      case ARP_OP:
        match.arpOp(((ArpOpCriterion) criterion).arpOp());
        return true;
      case ARP_TPA:
        match.arpTpa(OnosTypes.ip(((ArpPaCriterion) criterion).ip()));
        return true;
      case ICMPV6_TYPE:
        match.icmpv6Type(((Icmpv6TypeCriterion) criterion).icmpv6Type());
        return true;
      case IPV6_ND_TARGET:
        match.ipv6NdTarget(
            OnosTypes.ip(((IPv6NDTargetAddressCriterion) criterion).targetAddress()));
        return true;
      default:
        return false;
    }
  }

  /** The prefix is a single address, as {@link RuleWriter} makes it. */
  private static IpAddress address(IPCriterion criterion) {
    return OnosTypes.ip(criterion.ip().address());
  }

  /** Empty: it does what those never do. */
  static Optional<Treatment> treatment(TrafficTreatment treatment) {
    if (!treatment.deferred().isEmpty() || treatment.clearedDeferred()) {
      return Optional.empty();
    }
    Treatment.Builder steps = Treatment.builder();
    List<Long> outputs = new ArrayList<>();
    treatment.meters().forEach(meter -> steps.meter(meter.meterId().id()));
    for (Instruction instruction : treatment.immediate()) {
      switch (instruction.type()) {
        case OUTPUT:
          PortNumber port = ((Instructions.OutputInstruction) instruction).port();
          outputs.add(port.equals(PortNumber.CONTROLLER) ? Treatment.CONTROLLER : port.toLong());
          break;
        case GROUP:
          steps.group(((Instructions.GroupInstruction) instruction).groupId().id());
          break;
        case METER:
        case NOACTION:
          break;
        default:
          return Optional.empty();
      }
    }
    if (treatment.tableTransition() != null) {
      steps.gotoTable(treatment.tableTransition().tableId());
    }
    return Optional.of(steps.outputs(outputs).build());
  }
}

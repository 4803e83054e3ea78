// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import org.onlab.packet.IpPrefix;
import org.onlab.packet.TpPort;
import org.onosproject.core.ApplicationId;
import org.onosproject.core.GroupId;
import org.onosproject.net.DeviceId;
import org.onosproject.net.PortNumber;
import org.onosproject.net.flow.DefaultFlowRule;
import org.onosproject.net.flow.DefaultTrafficSelector;
import org.onosproject.net.flow.DefaultTrafficTreatment;
import org.onosproject.net.flow.FlowRule;
import org.onosproject.net.flow.TrafficSelector;
import org.onosproject.net.flow.TrafficTreatment;
import org.onosproject.net.meter.MeterId;
import org.sluice.api.IpAddress;
import org.sluice.forwarding.spi.Match;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.Treatment;

/** Turns rules into ONOS's; {@link RuleReader} turns them back. */
final class RuleWriter {
  private RuleWriter() {}

  static FlowRule write(Rule rule, ApplicationId application) {
    return DefaultFlowRule.builder()
        .forDevice(DeviceId.deviceId(rule.datapath()))
        .forTable(rule.table())
        .withPriority(rule.priority())
        .withSelector(selector(rule.match()))
        .withTreatment(treatment(rule.treatment()))
        .fromApp(application)
        .makePermanent()
        .build();
  }

  private static TrafficSelector selector(Match match) {
    TrafficSelector.Builder selector = DefaultTrafficSelector.builder();
    match.inPort().ifPresent(port -> selector.matchInPort(PortNumber.portNumber(port)));
    match.ethType().ifPresent(type -> selector.matchEthType((short) type));
    match.ethSrc().ifPresent(mac -> selector.matchEthSrc(OnosTypes.mac(mac)));
    match.ipProto().ifPresent(protocol -> selector.matchIPProtocol((byte) protocol));
    match.ipDscp().ifPresent(dscp -> selector.matchIPDscp((byte) dscp));
    match.ipEcn().ifPresent(codepoint -> selector.matchIPEcn((byte) codepoint));
    match.ipSrc().ifPresent(ip -> matchSource(selector, ip));
    match.ipDst().ifPresent(ip -> matchDestination(selector, ip));
    match.tcpSrc().ifPresent(port -> selector.matchTcpSrc(TpPort.tpPort(port)));
    match.tcpDst().ifPresent(port -> selector.matchTcpDst(TpPort.tpPort(port)));
    match.arpOp().ifPresent(selector::matchArpOp);
    match.arpTpa().ifPresent(ip -> selector.matchArpTpa(OnosTypes.ip(ip).getIp4Address()));
    match.icmpv6Type().ifPresent(type -> selector.matchIcmpv6Type((byte) type));
    match
        .ipv6NdTarget()
        .ifPresent(ip -> selector.matchIPv6NDTargetAddress(OnosTypes.ip(ip).getIp6Address()));
    return selector.build();
  }

  private static void matchSource(TrafficSelector.Builder selector, IpAddress ip) {
    IpPrefix prefix = OnosTypes.ip(ip).toIpPrefix();
    if (ip.isIpv4()) {
      selector.matchIPSrc(prefix);
    } else {
      selector.matchIPv6Src(prefix);
    }
  }

  private static void matchDestination(TrafficSelector.Builder selector, IpAddress ip) {
    IpPrefix prefix = OnosTypes.ip(ip).toIpPrefix();
    if (ip.isIpv4()) {
      selector.matchIPDst(prefix);
    } else {
      selector.matchIPv6Dst(prefix);
    }
  }

  private static TrafficTreatment treatment(Treatment steps) {
    TrafficTreatment.Builder treatment = DefaultTrafficTreatment.builder();
    steps.meter().ifPresent(meter -> treatment.meter(MeterId.meterId(meter)));
    steps.group().ifPresent(group -> treatment.group(GroupId.valueOf((int) group)));
    for (long port : steps.outputs()) {
      treatment.setOutput(
          port == Treatment.CONTROLLER ? PortNumber.CONTROLLER : PortNumber.portNumber(port));
    }
    steps.gotoTable().ifPresent(treatment::transition);
    return steps.equals(Treatment.DROP) ? treatment.drop().build() : treatment.build();
  }
}

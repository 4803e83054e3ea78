// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import java.util.List;
import org.onlab.packet.ARP;
import org.onlab.packet.Ethernet;
import org.onlab.packet.ICMP6;
import org.onlab.packet.IPv6;
import org.onlab.packet.IpAddress;
import org.onlab.packet.IpPrefix;
import org.onosproject.core.ApplicationId;
import org.onosproject.core.GroupId;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.DeviceId;
import org.onosproject.net.PortNumber;
import org.onosproject.net.flow.DefaultFlowRule;
import org.onosproject.net.flow.DefaultTrafficSelector;
import org.onosproject.net.flow.DefaultTrafficTreatment;
import org.onosproject.net.flow.FlowRule;
import org.onosproject.net.flow.TrafficSelector;
import org.onosproject.net.flow.TrafficTreatment;
import org.onosproject.net.meter.MeterId;

/**
 * The rules of {@code forwarding = own}.
 *
 * <pre>
 * table 0  50000  in_port=L, ip, ip_ecn=3  -> meter, goto 1     every port L from another switch,
 *                 in_port=L, ipv6, ip_ecn=3                     both families through one meter
 *          46000  in_port=P, arp           -> drop               questions or answers, while P or
 *                 (and neighbour solicitations)                  a sender behind it goes far beyond
 *          45000  arp, arp_tpa=X           -> towards X and to the controller
 *                 (IPv6: icmp6, type 135, nd_target=X)
 *          40000  ONOS's own: ARP, LLDP, BDDP -> controller
 *          35000  in_port=P, ip_src=X, ipv6_src=X -> meter, goto 1   X's agent is silent
 *          30000  what others request         -> to the controller, goto 1
 *             10  ip, ipv6                 -> goto 1
 * table 1    110  ip_dst=X, ipv6_dst=X, ip_dscp=last level -> meter, towards X (output)
 *            100  ip_dst=X, ipv6_dst=X     -> towards X (output, or a select group)
 *              2  in_port=P, ip, ipv6      -> drop               as above
 *              1  ip, ipv6                 -> controller
 * </pre>
 *
 * Everything is permanent and covers every known address on every switch, address resolution
 * included: a new pair works while no controller does.
 */
final class Pipeline {
  static final int FIRST_TABLE = 0;
  static final int ROUTE_TABLE = 1;

  static final int CE_PRIORITY = 50_000;
  static final int IGNORED_RESOLUTION_PRIORITY = 46_000;
  static final int RESOLUTION_PRIORITY = 45_000;
  static final int LIMIT_PRIORITY = 35_000;
  static final int COPY_PRIORITY = 30_000;
  static final int ENTRY_PRIORITY = 10;
  static final int CAP_PRIORITY = 110;
  static final int ROUTE_PRIORITY = 100;
  static final int IGNORED_UNKNOWN_PRIORITY = 2;
  static final int UNKNOWN_PRIORITY = 1;

  /** ECN codepoint "congestion experienced", RFC 3168 section 5. */
  static final byte CE = 3;

  private final ApplicationId application;

  Pipeline(ApplicationId application) {
    this.application = application;
  }

  /** What every switch has, whatever is attached: the way into the second table and its end. */
  List<FlowRule> frame(DeviceId device) {
    return List.of(
        entry(device, Ethernet.TYPE_IPV4),
        entry(device, Ethernet.TYPE_IPV6),
        unknown(device, Ethernet.TYPE_IPV4),
        unknown(device, Ethernet.TYPE_IPV6));
  }

  private FlowRule entry(DeviceId device, short etherType) {
    return rule(
        device,
        FIRST_TABLE,
        ENTRY_PRIORITY,
        DefaultTrafficSelector.builder().matchEthType(etherType),
        DefaultTrafficTreatment.builder().transition(ROUTE_TABLE));
  }

  private FlowRule unknown(DeviceId device, short etherType) {
    return rule(
        device,
        ROUTE_TABLE,
        UNKNOWN_PRIORITY,
        DefaultTrafficSelector.builder().matchEthType(etherType),
        DefaultTrafficTreatment.builder().punt());
  }

  /** Counts marked packets that arrive from another switch, IPv4 and IPv6 together. */
  List<FlowRule> countMarks(DeviceId device, PortNumber from, MeterId meter) {
    return List.of(
        countMarks(device, Ethernet.TYPE_IPV4, from, meter),
        countMarks(device, Ethernet.TYPE_IPV6, from, meter));
  }

  private FlowRule countMarks(DeviceId device, short etherType, PortNumber from, MeterId meter) {
    return rule(
        device,
        FIRST_TABLE,
        CE_PRIORITY,
        DefaultTrafficSelector.builder().matchInPort(from).matchEthType(etherType).matchIPEcn(CE),
        DefaultTrafficTreatment.builder().meter(meter).transition(ROUTE_TABLE));
  }

  /** Sends packets for an address out of a port. */
  FlowRule route(DeviceId device, IpAddress to, PortNumber out) {
    return route(device, to, DefaultTrafficTreatment.builder().setOutput(out));
  }

  /** Spreads packets for an address over a select group's ports. */
  FlowRule route(DeviceId device, IpAddress to, GroupId group) {
    return route(device, to, DefaultTrafficTreatment.builder().group(group));
  }

  private FlowRule route(DeviceId device, IpAddress to, TrafficTreatment.Builder treatment) {
    return rule(device, ROUTE_TABLE, ROUTE_PRIORITY, destination(to), treatment);
  }

  /** Leads what a level sends to an address through a meter, and then by the port of its route. */
  FlowRule cap(DeviceId device, IpAddress to, byte dscp, MeterId meter, PortNumber out) {
    return rule(
        device,
        ROUTE_TABLE,
        CAP_PRIORITY,
        destination(to).matchIPDscp(dscp),
        DefaultTrafficTreatment.builder().meter(meter).setOutput(out));
  }

  private static TrafficSelector.Builder destination(IpAddress to) {
    IpPrefix prefix = to.toIpPrefix();
    TrafficSelector.Builder selector = DefaultTrafficSelector.builder();
    return to.isIp4()
        ? selector.matchEthType(Ethernet.TYPE_IPV4).matchIPDst(prefix)
        : selector.matchEthType(Ethernet.TYPE_IPV6).matchIPv6Dst(prefix);
  }

  /**
   * Delivers requests for an address to where the address is, and a copy to the controller, which
   * learns the requester from it.
   */
  FlowRule resolve(DeviceId device, IpAddress target, PortNumber out) {
    TrafficSelector.Builder selector = DefaultTrafficSelector.builder();
    if (target.isIp4()) {
      selector.matchEthType(Ethernet.TYPE_ARP).matchArpTpa(target.getIp4Address());
    } else {
      selector
          .matchEthType(Ethernet.TYPE_IPV6)
          .matchIPProtocol(IPv6.PROTOCOL_ICMP6)
          .matchIcmpv6Type(ICMP6.NEIGHBOR_SOLICITATION)
          .matchIPv6NDTargetAddress(target.getIp6Address());
    }
    return rule(
        device,
        FIRST_TABLE,
        RESOLUTION_PRIORITY,
        selector,
        DefaultTrafficTreatment.builder().setOutput(out).punt());
  }

  /**
   * Leads what an address sends from behind a port through a meter. It goes before copies: what is
   * copied passes the meter, too, and is not copied then.
   */
  FlowRule limit(ConnectPoint from, IpAddress source, MeterId meter) {
    TrafficSelector.Builder selector = DefaultTrafficSelector.builder().matchInPort(from.port());
    if (source.isIp4()) {
      selector.matchEthType(Ethernet.TYPE_IPV4).matchIPSrc(source.toIpPrefix());
    } else {
      selector.matchEthType(Ethernet.TYPE_IPV6).matchIPv6Src(source.toIpPrefix());
    }
    return rule(
        from.deviceId(),
        FIRST_TABLE,
        LIMIT_PRIORITY,
        selector,
        DefaultTrafficTreatment.builder().meter(meter).transition(ROUTE_TABLE));
  }

  /** Lets the controller see packets that pass. */
  FlowRule copy(DeviceId device, TrafficSelector selector) {
    return rule(
        device,
        FIRST_TABLE,
        COPY_PRIORITY,
        DefaultTrafficSelector.builder(selector),
        DefaultTrafficTreatment.builder().punt().transition(ROUTE_TABLE));
  }

  /** Drops what the controller is not to receive from behind a port for a while. */
  List<FlowRule> ignore(Punts.Pause pause) {
    boolean isOfAnswers = pause.kind() == Punts.Kind.ANSWER;
    FlowRule arp =
        drop(
            pause.port(),
            FIRST_TABLE,
            IGNORED_RESOLUTION_PRIORITY,
            ignored(pause, Ethernet.TYPE_ARP)
                .matchArpOp(isOfAnswers ? ARP.OP_REPLY : ARP.OP_REQUEST));
    if (isOfAnswers) {
      return List.of(
          arp,
          drop(
              pause.port(),
              ROUTE_TABLE,
              IGNORED_UNKNOWN_PRIORITY,
              ofDiscovery(pause, ICMP6.NEIGHBOR_ADVERTISEMENT)));
    }
    return List.of(
        arp,
        drop(
            pause.port(),
            FIRST_TABLE,
            IGNORED_RESOLUTION_PRIORITY,
            ofDiscovery(pause, ICMP6.NEIGHBOR_SOLICITATION)),
        drop(
            pause.port(),
            ROUTE_TABLE,
            IGNORED_UNKNOWN_PRIORITY,
            ignored(pause, Ethernet.TYPE_IPV4)),
        drop(
            pause.port(),
            ROUTE_TABLE,
            IGNORED_UNKNOWN_PRIORITY,
            ignored(pause, Ethernet.TYPE_IPV6)));
  }

  private static TrafficSelector.Builder ofDiscovery(Punts.Pause pause, byte type) {
    return ignored(pause, Ethernet.TYPE_IPV6)
        .matchIPProtocol(IPv6.PROTOCOL_ICMP6)
        .matchIcmpv6Type(type);
  }

  private static TrafficSelector.Builder ignored(Punts.Pause pause, short etherType) {
    TrafficSelector.Builder selector =
        DefaultTrafficSelector.builder().matchInPort(pause.port().port()).matchEthType(etherType);
    pause.sender().ifPresent(selector::matchEthSrc);
    return selector;
  }

  private FlowRule drop(
      ConnectPoint from, int table, int priority, TrafficSelector.Builder selector) {
    return rule(
        from.deviceId(), table, priority, selector, DefaultTrafficTreatment.builder().drop());
  }

  private FlowRule rule(
      DeviceId device,
      int table,
      int priority,
      TrafficSelector.Builder selector,
      TrafficTreatment.Builder treatment) {
    return DefaultFlowRule.builder()
        .forDevice(device)
        .forTable(table)
        .withPriority(priority)
        .withSelector(selector.build())
        .withTreatment(treatment.build())
        .fromApp(application)
        .makePermanent()
        .build();
  }
}

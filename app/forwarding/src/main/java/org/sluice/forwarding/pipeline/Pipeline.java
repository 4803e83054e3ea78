// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import static org.sluice.forwarding.frame.EthernetFrame.TYPE_ARP;
import static org.sluice.forwarding.frame.EthernetFrame.TYPE_IPV4;
import static org.sluice.forwarding.frame.EthernetFrame.TYPE_IPV6;

import java.util.List;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.forwarding.frame.EthernetFrame;
import org.sluice.forwarding.frame.NeighbourMessage;
import org.sluice.forwarding.spi.Match;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.Treatment;

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
 *          40000  the platform's own: ARP, LLDP, BDDP -> controller
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
  static final int CE = 3;

  private static final Treatment PUNT = Treatment.output(Treatment.CONTROLLER);
  private static final Treatment TO_ROUTES = Treatment.builder().gotoTable(ROUTE_TABLE).build();

  private Pipeline() {}

  /** What every switch has, whatever is attached: the way into the second table and its end. */
  static List<Rule> frame(String datapath) {
    return List.of(
        entry(datapath, TYPE_IPV4),
        entry(datapath, TYPE_IPV6),
        unknown(datapath, TYPE_IPV4),
        unknown(datapath, TYPE_IPV6));
  }

  private static Rule entry(String datapath, int ethType) {
    return rule(datapath, FIRST_TABLE, ENTRY_PRIORITY, match(ethType), TO_ROUTES);
  }

  private static Rule unknown(String datapath, int ethType) {
    return rule(datapath, ROUTE_TABLE, UNKNOWN_PRIORITY, match(ethType), PUNT);
  }

  /** Counts marked packets that arrive from another switch, IPv4 and IPv6 together. */
  static List<Rule> countMarks(PortId from, long meter) {
    return List.of(countMarks(TYPE_IPV4, from, meter), countMarks(TYPE_IPV6, from, meter));
  }

  private static Rule countMarks(int ethType, PortId from, long meter) {
    return rule(
        from.datapath(),
        FIRST_TABLE,
        CE_PRIORITY,
        match(ethType).inPort(from.number()).ipEcn(CE),
        through(meter));
  }

  private static Treatment through(long meter) {
    return Treatment.builder().meter(meter).gotoTable(ROUTE_TABLE).build();
  }

  /** Whether a rule counts marked packets. */
  static boolean countsMarks(Rule.Key rule) {
    return rule.priority() == CE_PRIORITY;
  }

  /** Sends packets for an address out of a port. */
  static Rule route(String datapath, IpAddress to, long out) {
    return Rule.of(route(datapath, to), Treatment.output(out));
  }

  /** Spreads packets for an address over a select group's ports. */
  static Rule routeByGroup(String datapath, IpAddress to, long group) {
    return Rule.of(route(datapath, to), Treatment.builder().group(group).build());
  }

  /** Where the route to an address stands, wherever it leads. */
  static Rule.Key route(String datapath, IpAddress to) {
    return Rule.Key.of(datapath, ROUTE_TABLE, ROUTE_PRIORITY, destination(to).build());
  }

  /** Leads what a level sends to an address through a meter, and then by the port of its route. */
  static Rule cap(String datapath, IpAddress to, int dscp, long meter, long out) {
    return rule(
        datapath,
        ROUTE_TABLE,
        CAP_PRIORITY,
        destination(to).ipDscp(dscp),
        Treatment.builder().meter(meter).outputs(List.of(out)).build());
  }

  private static Match.Builder destination(IpAddress to) {
    return match(ipType(to)).ipDst(to);
  }

  /**
   * Delivers requests for an address to where the address is, and a copy to the controller, which
   * learns the requester from it.
   */
  static Rule resolve(String datapath, IpAddress target, long out) {
    return Rule.of(
        resolve(datapath, target),
        Treatment.builder().outputs(List.of(out, Treatment.CONTROLLER)).build());
  }

  /** Where the rule for requests for an address stands, wherever it leads. */
  static Rule.Key resolve(String datapath, IpAddress target) {
    Match.Builder match =
        target.isIpv4()
            ? match(TYPE_ARP).arpTpa(target)
            : discovery(NeighbourMessage.SOLICITATION).ipv6NdTarget(target);
    return Rule.Key.of(datapath, FIRST_TABLE, RESOLUTION_PRIORITY, match.build());
  }

  private static Match.Builder discovery(int type) {
    return match(TYPE_IPV6).ipProto(EthernetFrame.PROTOCOL_ICMPV6).icmpv6Type(type);
  }

  /**
   * Leads what an address sends from behind a port through a meter. It goes before copies: what is
   * copied passes the meter, too, and is not copied then.
   */
  static Rule limit(PortId from, IpAddress source, long meter) {
    return rule(
        from.datapath(),
        FIRST_TABLE,
        LIMIT_PRIORITY,
        match(ipType(source)).inPort(from.number()).ipSrc(source),
        through(meter));
  }

  /** Lets the controller see packets that pass. */
  static Rule copy(String datapath, Match match) {
    return rule(
        datapath,
        FIRST_TABLE,
        COPY_PRIORITY,
        match.toBuilder(),
        Treatment.builder().outputs(List.of(Treatment.CONTROLLER)).gotoTable(ROUTE_TABLE).build());
  }

  /** Drops what the controller is not to receive from behind a port for a while. */
  static List<Rule> ignore(Punts.Pause pause) {
    boolean isOfAnswers = pause.kind() == Punts.Kind.ANSWER;
    Rule arp =
        drop(
            pause,
            FIRST_TABLE,
            IGNORED_RESOLUTION_PRIORITY,
            match(TYPE_ARP)
                .arpOp(isOfAnswers ? NeighbourMessage.ARP_REPLY : NeighbourMessage.ARP_REQUEST));
    if (isOfAnswers) {
      return List.of(
          arp,
          drop(
              pause,
              ROUTE_TABLE,
              IGNORED_UNKNOWN_PRIORITY,
              discovery(NeighbourMessage.ADVERTISEMENT)));
    }
    return List.of(
        arp,
        drop(
            pause,
            FIRST_TABLE,
            IGNORED_RESOLUTION_PRIORITY,
            discovery(NeighbourMessage.SOLICITATION)),
        drop(pause, ROUTE_TABLE, IGNORED_UNKNOWN_PRIORITY, match(TYPE_IPV4)),
        drop(pause, ROUTE_TABLE, IGNORED_UNKNOWN_PRIORITY, match(TYPE_IPV6)));
  }

  private static Rule drop(Punts.Pause pause, int table, int priority, Match.Builder match) {
    match.inPort(pause.port().number());
    pause.sender().ifPresent(match::ethSrc);
    return rule(pause.port().datapath(), table, priority, match, Treatment.DROP);
  }

  private static int ipType(IpAddress ip) {
    return ip.isIpv4() ? TYPE_IPV4 : TYPE_IPV6;
  }

  private static Match.Builder match(int ethType) {
    return Match.builder().ethType(ethType);
  }

  private static Rule rule(
      String datapath, int table, int priority, Match.Builder match, Treatment treatment) {
    return Rule.of(Rule.Key.of(datapath, table, priority, match.build()), treatment);
  }
}

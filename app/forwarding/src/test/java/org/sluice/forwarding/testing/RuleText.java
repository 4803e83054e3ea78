// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.sluice.forwarding.spi.Match;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.Treatment;

/** A rule in one line: table, priority, match, treatment. */
public final class RuleText {
  private static final Map<Integer, String> TYPES =
      Map.of(0x0800, "ipv4", 0x0806, "arp", 0x86dd, "ipv6");

  private RuleText() {}

  public static String of(Rule rule) {
    return String.format(
        "%d/%05d %s -> %s",
        rule.table(),
        rule.priority(),
        String.join(", ", match(rule.match())),
        String.join(", ", treatment(rule.treatment())));
  }

  private static List<String> match(Match match) {
    List<String> fields = new ArrayList<>();
    match.inPort().ifPresent(port -> fields.add("in_port=" + port));
    match.ethType().ifPresent(type -> fields.add(TYPES.get(type)));
    match.ethSrc().ifPresent(mac -> fields.add("eth_src=" + mac));
    match.ipProto().ifPresent(protocol -> fields.add("ip_proto=" + protocol));
    match.ipDscp().ifPresent(dscp -> fields.add("ip_dscp=" + dscp));
    match.ipEcn().ifPresent(codepoint -> fields.add("ip_ecn=" + codepoint));
    match.ipSrc().ifPresent(ip -> fields.add("src=" + ip));
    match.ipDst().ifPresent(ip -> fields.add("dst=" + ip));
    match.tcpSrc().ifPresent(port -> fields.add("tcp_src=" + port));
    match.tcpDst().ifPresent(port -> fields.add("tcp_dst=" + port));
    match.arpOp().ifPresent(operation -> fields.add("arp_op=" + operation));
    match.arpTpa().ifPresent(ip -> fields.add("arp_tpa=" + ip));
    match.icmpv6Type().ifPresent(type -> fields.add("icmpv6_type=" + type));
    match.ipv6NdTarget().ifPresent(ip -> fields.add("nd_target=" + ip));
    return fields;
  }

  private static List<String> treatment(Treatment treatment) {
    List<String> steps = new ArrayList<>();
    treatment.meter().ifPresent(meter -> steps.add("meter:" + meter));
    treatment.group().ifPresent(group -> steps.add("group:" + group));
    for (long port : treatment.outputs()) {
      steps.add(port == Treatment.CONTROLLER ? "controller" : "output:" + port);
    }
    treatment.gotoTable().ifPresent(table -> steps.add("goto:" + table));
    return steps.isEmpty() ? List.of("drop") : steps;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.sluice.api.ClockTime;
import org.sluice.api.IpPrefix;
import org.sluice.api.MegabitRate;
import org.sluice.api.MilliTime;
import org.sluice.api.PortId;
import org.sluice.api.policy.AppliedHint;
import org.sluice.api.policy.GroupHint;
import org.sluice.api.policy.HostHints;
import org.sluice.api.policy.PolicyDecision;
import org.sluice.api.policy.PolicyFinding;
import org.sluice.api.policy.PolicyRevision;
import org.sluice.api.policy.PolicySet;
import org.sluice.api.policy.PrefixHint;
import org.sluice.api.policy.TcpHint;
import org.sluice.json.Json;
import org.sluice.json.PolicyJson;
import org.sluice.json.PolicySetDto;

/** How policies, their decisions and hints are listed. */
final class PolicyListings {
  private static final double PERCENT = 100;

  static final Listing<PolicyFinding> FINDINGS =
      new Listing<PolicyFinding>("findings")
          .column("field", "FIELD", PolicyFinding::field)
          .column("value", "VALUE", PolicyFinding::value)
          .column("message", "WHAT IS WRONG", PolicyFinding::message)
          .column("remedy", "REMEDY", PolicyFinding::remedy);

  static final Listing<PolicyDecision> DECISIONS =
      new Listing<PolicyDecision>("decisions")
          .column("policy", "POLICY", PolicyDecision::policy)
          .column("from", "FROM", d -> orNone(d.source()), d -> orAll(d.source()))
          .column("to", "TO", d -> orNone(d.destination()), d -> orAll(d.destination()))
          .column("active", "ACTIVE", PolicyDecision::isActive)
          .column("reason", "REASON", d -> text(d.reason()))
          .column("cycles", "CYCLES", PolicyDecision::cycles)
          .column("utilisationPercent", "UTILISATION %", d -> percent(d.utilisation()))
          .column("dropPercent", "DROPS %", d -> percent(d.dropRate()))
          .column(
              "fullestLink",
              "FULLEST LINK",
              d -> d.fullestLink().map(PortId::toString).orElse(null));

  static final Listing<GroupHint> HINTS =
      new Listing<GroupHint>("hints")
          .column("from", "FROM", GroupHint::source)
          .column("to", "TO", h -> orNone(h.destination()), h -> orAll(h.destination()))
          .column(
              "hints",
              "HINTS",
              h -> Json.tree(new PolicySetDto.HintDto(h.hint())),
              h -> words(h.hint()));

  static final Listing<HostHints> HOSTS =
      new Listing<HostHints>("hosts", "hosts with hints")
          .column("host", "HOST", h -> h.host().toString())
          .column("group", "GROUP", HostHints::group)
          .column("revision", "REVISION", HostHints::revision)
          .column("state", "STATE", h -> text(h.state()))
          .column("sent", "SENT", PolicyListings::sent, PolicyListings::sentWords)
          .jsonColumn("leftOutGroups", HostHints::leftOutGroups)
          .column("applied", "IN FORCE", PolicyListings::applied, PolicyListings::appliedWords)
          .column("refused", "REFUSED", HostHints::refused);

  static final Listing<PolicyRevision> REVISIONS =
      new Listing<PolicyRevision>("revisions")
          .column("revision", "REVISION", PolicyRevision::number)
          .column("time", "TIME", r -> ClockTime.text(r.time()))
          .column("author", "AUTHOR", PolicyRevision::author)
          .column(
              "rolledBackTo",
              "ROLLED BACK TO",
              r -> r.rolledBackTo() == 0 ? null : r.rolledBackTo())
          .column(
              "set",
              "PROFILES",
              r -> r.set().map(PolicyJson::write).orElse(null),
              r -> r.set().map(PolicySet::name).orElse("none"));

  private PolicyListings() {}

  private static List<Map<String, Object>> sent(HostHints host) {
    List<Map<String, Object>> all = new ArrayList<>();
    for (PrefixHint hint : host.hints()) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put(
          "destinations",
          hint.destinations().stream().map(IpPrefix::toString).collect(Collectors.toList()));
      one.put("hints", Json.tree(new PolicySetDto.HintDto(hint.hint())));
      all.add(one);
    }
    return all;
  }

  private static List<String> sentWords(HostHints host) {
    return host.hints().stream()
        .map(
            hint ->
                words(hint.hint())
                    + (hint.destinations().isEmpty()
                        ? ""
                        : " to " + count(hint.destinations().size(), "prefix", "es")))
        .collect(Collectors.toList());
  }

  private static List<Map<String, Object>> applied(HostHints host) {
    List<Map<String, Object>> all = new ArrayList<>();
    for (AppliedHint hint : host.applied()) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("hints", Json.tree(new PolicySetDto.HintDto(hint.hint())));
      one.put("routes", hint.routes());
      one.put("controlGroups", hint.controlGroups());
      all.add(one);
    }
    return all;
  }

  private static List<String> appliedWords(HostHints host) {
    return host.applied().stream()
        .map(
            hint ->
                words(hint.hint())
                    + " on "
                    + count(hint.routes(), "route", "s")
                    + (hint.controlGroups() == 0
                        ? ""
                        : " and " + count(hint.controlGroups(), "control group", "s")))
        .collect(Collectors.toList());
  }

  private static String words(TcpHint hint) {
    List<String> words = new ArrayList<>();
    if (hint.initialWindowSegments() > 0) {
      words.add("window " + hint.initialWindowSegments());
    }
    if (hint.rtoMinNanos() > 0) {
      words.add("RTO_min " + MilliTime.fromNanos(hint.rtoMinNanos()).toPlainString() + " ms");
    }
    if (!hint.congestionControl().isEmpty()) {
      words.add(hint.congestionControl());
    }
    if (hint.pacingBitsPerSecond() > 0) {
      words.add(MegabitRate.fromBits(hint.pacingBitsPerSecond()).toPlainString() + " Mbit/s");
    }
    return words.isEmpty() ? "the host's own" : String.join(" ", words);
  }

  private static String count(int number, String noun, String plural) {
    return number + " " + noun + (number == 1 ? "" : plural);
  }

  private static BigDecimal percent(double fraction) {
    return Double.isNaN(fraction) ? null : Listings.plain(PERCENT * fraction);
  }

  private static String text(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static String orNone(String group) {
    return group.isEmpty() ? null : group;
  }

  private static String orAll(String group) {
    return group.isEmpty() ? "all" : group;
  }
}

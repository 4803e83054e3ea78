// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.sluice.core.opentcp.HintedNetwork.FAST;
import static org.sluice.core.opentcp.HintedNetwork.H1;
import static org.sluice.core.opentcp.HintedNetwork.H2;
import static org.sluice.core.opentcp.HintedNetwork.H3;
import static org.sluice.core.opentcp.HintedNetwork.H4;
import static org.sluice.core.opentcp.HintedNetwork.HOSTS;
import static org.sluice.core.opentcp.HintedNetwork.all;
import static org.sluice.core.opentcp.HintedNetwork.fast;
import static org.sluice.core.opentcp.HintedNetwork.set;
import static org.sluice.core.testing.Samples.datapath;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.core.testing.Samples.port;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.sluice.api.Finding;
import org.sluice.api.HostId;
import org.sluice.api.IpPrefix;
import org.sluice.api.JournalEntry;
import org.sluice.api.MacAddress;
import org.sluice.api.SluiceException;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.TcpHints;
import org.sluice.api.link.UplinkMessage;
import org.sluice.api.policy.AppliedHint;
import org.sluice.api.policy.HostGroup;
import org.sluice.api.policy.HostHints;
import org.sluice.api.policy.Limits;
import org.sluice.api.policy.Policy;
import org.sluice.api.policy.Policy.Links;
import org.sluice.api.policy.Policy.Scope;
import org.sluice.api.policy.PolicyDecision.Reason;
import org.sluice.api.policy.PolicyFinding;
import org.sluice.api.policy.PolicyPresets;
import org.sluice.api.policy.PolicyPreview;
import org.sluice.api.policy.PolicyRevision;
import org.sluice.api.policy.PolicySet;
import org.sluice.api.policy.PrefixHint;
import org.sluice.api.policy.TcpHint;
import org.sluice.core.setting.Topics;
import org.sluice.core.testing.MemoryNode;

/** Policies on a whole controller: what it collects, decides, sends and shows. */
class OracleRunnerTest {
  private static final List<PrefixHint> FAST_TO_ALL = List.of(PrefixHint.of(List.of(), FAST));

  private final HintedNetwork it = new HintedNetwork("n1");

  private void apply(PolicySet set) throws SluiceException {
    it.policies().apply(set, "olga");
    it.network.time.advanceMillis(10);
  }

  @Test
  void hintsBeginWithTheFirstLowCycleAndEndWithTheFirstHighOne() throws Exception {
    apply(set(fast()));
    for (HostId host : HOSTS) {
      assertThat(it.hints(host)).as("before the first cycle, %s", host).isEmpty();
    }
    it.cycles(1);
    for (HostId host : HOSTS) {
      assertThat(it.hints(host)).isEqualTo(FAST_TO_ALL);
    }
    it.cycles(3);
    assertThat(all(it.node(), H1)).as("on change alone").hasSize(2);

    it.loads.put("s2/5", 0.75);
    it.cycles(1);
    for (HostId host : HOSTS) {
      assertThat(it.hints(host)).isEmpty();
    }
    it.loads.remove("s2/5");
    it.cycles(1);
    assertThat(it.hints(H1)).isEqualTo(FAST_TO_ALL);
    assertThat(all(it.node(), H1))
        .extracting(TcpHints::revision)
        .isSorted()
        .doesNotHaveDuplicates();
  }

  @Test
  void dropsEndHints() throws Exception {
    apply(set(fast()));
    it.cycles(1);
    it.drops.put("s1/5", 100L); // Of 8 ports with 1250 packets a second each: 1 %.
    it.cycles(1);
    assertThat(it.hints(H1)).isEmpty();
    assertThat(it.policies().state().orElseThrow().decisions().get(0).reason())
        .isEqualTo(Reason.CONSTRAINT);
  }

  @Test
  void dropsOfAPortAgentReplaceThoseOfItsSwitch() throws Exception {
    it.connectPortAgent("s1/5");
    apply(set(fast()));
    for (int i = 0; i < 2 * HintedNetwork.CYCLE_SECONDS; i++) {
      it.queued("s1/5", 1250, 0);
      it.seconds(1);
    }
    assertThat(it.hints(H1)).isEqualTo(FAST_TO_ALL);
    double quiet = it.policies().state().orElseThrow().decisions().get(0).utilisation();
    assertThat(quiet).as("nothing is counted twice").isBetween(0.009, 0.011);
    for (int i = 0; i < HintedNetwork.CYCLE_SECONDS; i++) {
      it.queued("s1/5", 1250, 100);
      it.seconds(1);
    }
    assertThat(it.hints(H1)).isEmpty();
    assertThat(it.policies().state().orElseThrow().decisions().get(0).dropRate())
        .isBetween(0.009, 0.011);
  }

  @Test
  void uncountedLinksGiveNoHints() throws Exception {
    it.countsDrops = false;
    apply(set(fast()));
    it.cycles(2);
    assertThat(it.hints(H1)).isEmpty();
    assertThat(it.policies().state().orElseThrow().decisions().get(0).reason())
        .isEqualTo(Reason.UNKNOWN);
    apply(PolicyPresets.openTcp1());
    it.seconds(60);
    assertThat(it.hints(H1)).as("which ignores drops").isEqualTo(FAST_TO_ALL);
  }

  @Test
  void unreadableLinkEndsHints() throws Exception {
    apply(set(fast()));
    it.cycles(1);
    it.unread.add("s2/5");
    it.cycles(1);
    assertThat(it.hints(H1)).as("a message may be late").isEqualTo(FAST_TO_ALL);
    it.cycles(1);
    assertThat(it.hints(H1)).isEmpty();
    assertThat(it.policies().state().orElseThrow().decisions().get(0).fullestLink())
        .contains(port("s2/5"));
  }

  @Test
  void newSessionReceivesItsHintsAgain() throws Exception {
    apply(set(fast()));
    it.cycles(1);
    it.node().link.disconnect(H1);
    it.seconds(1);
    int before = all(it.node(), H1).size();
    it.node().link.connect(HintedNetwork.helloOf(1));
    it.seconds(1);
    assertThat(all(it.node(), H1)).hasSize(before + 1);
    assertThat(it.hints(H1)).isEqualTo(FAST_TO_ALL);
    assertThat(all(it.node(), H2)).as("nothing changed for others").hasSize(2);
  }

  @Test
  void topologyChangeWithdrawsHintsFirst() throws Exception {
    apply(set(fast()));
    it.cycles(1);
    it.network.setCapacity("s1/5", 100_000_000);
    it.seconds(1);
    assertThat(it.hints(H1)).isEmpty();
    assertThat(it.journal().get(0)).contains("Hints of 4 hosts end", "capacities");
    it.cycles(1);
    assertThat(it.hints(H1)).as("1 % of a gigabit fits into a tenth").isEqualTo(FAST_TO_ALL);
    it.loads.put("s1/5", 0.08);
    it.cycles(1);
    assertThat(it.hints(H1)).isEmpty();
  }

  @Test
  void hintsForPairsHaveTheirDestinations() throws Exception {
    apply(set(fast().scope(Scope.PAIRS).links(Links.PATH)));
    it.loads.put("s2/5", 0.75);
    it.cycles(2);
    assertThat(it.hints(H1))
        .extracting(hint -> hint.destinations().toString())
        .as("all but what goes by s2/5, to s3")
        .containsExactly("[10.0.1.1/32, 10.0.1.2/32]", "[10.0.2.1/32]");
    assertThat(it.hints(H3)).hasSize(3);
    assertThat(it.hints(H3)).allMatch(hint -> hint.hint().equals(FAST));
  }

  @Test
  void trafficBetweenGroupsSelectsTheLinks() throws Exception {
    apply(set(fast().scope(Scope.GROUPS).links(Links.PATH)));
    it.loads.put("s2/5", 0.75);
    for (int i = 0; i < 70; i++) {
      it.sent(H1, "10.0.1.1", "10.0.2.1", 1000);
      it.sent(H4, "10.0.2.1", "10.0.3.1", 1000);
      it.seconds(1);
    }
    assertThat(it.hints(H1)).as("s1 sends to s2 only").isEqualTo(FAST_TO_ALL);
    assertThat(it.hints(H2)).as("which is of the same group").isEqualTo(FAST_TO_ALL);
    assertThat(it.hints(H4)).as("s2 sends by s2/5").isEmpty();
    assertThat(it.hints(H3))
        .as("s3 sends nothing, and none of its paths is full")
        .isEqualTo(FAST_TO_ALL);
  }

  @Test
  void onlyHostsOfNamedGroupsReceiveHints() throws Exception {
    PolicySet named =
        PolicySet.builder("named")
            .cycleNanos(5_000_000_000L)
            .groups(
                List.of(
                    HostGroup.of("web", List.of(H1, H3)),
                    HostGroup.of("old", List.of(H2, HostId.of("gone")))))
            .policies(List.of(fast().scope(Scope.GROUPS).sources(List.of("web")).build()))
            .build();
    assertThat(it.policies().validate(named))
        .extracting(PolicyFinding::field)
        .containsExactly("groups[1].hosts[1]");
    apply(named);
    it.cycles(1);
    assertThat(it.hints(H1)).isEqualTo(FAST_TO_ALL);
    assertThat(it.hints(H3)).isEqualTo(FAST_TO_ALL);
    assertThat(it.hints(H2)).isEmpty();
    assertThat(all(it.node(), H4)).isEmpty();
    apply(set(fast().scope(Scope.GROUPS).sources(List.of(datapath("s2")))));
    assertThat(it.hints(H1)).as("other groups, so another oracle").isEmpty();
    it.cycles(1);
    assertThat(it.hints(H4)).isEqualTo(FAST_TO_ALL);
    assertThat(it.hints(H1)).isEmpty();
  }

  @Test
  void withoutPoliciesThereAreNoHints() throws Exception {
    it.cycles(3);
    assertThat(all(it.node(), H1)).isEmpty();
    apply(set(fast()));
    it.cycles(1);
    PolicyRevision none = it.policies().rollBack(0, "olga");
    it.network.time.advanceMillis(10);
    assertThat(none.set()).isEmpty();
    for (HostId host : HOSTS) {
      assertThat(it.hints(host)).isEmpty();
    }
    assertThat(it.policies().state()).isEmpty();
    assertThat(it.policies().hosts()).isEmpty();
    it.cycles(3);
    assertThat(it.hints(H1)).isEmpty();
  }

  @Test
  void earlierRevisionCanBeRestored() throws Exception {
    apply(set("first", fast()));
    apply(set("second", fast().hint(TcpHint.builder().initialWindowSegments(30).build())));
    it.cycles(1);
    assertThat(it.hints(H1).get(0).hint().initialWindowSegments()).isEqualTo(30);
    PolicyRevision back = it.policies().rollBack(1, "otto");
    it.cycles(2);
    assertThat(it.hints(H1)).isEqualTo(FAST_TO_ALL);
    assertThat(back.number()).isEqualTo(3);
    assertThat(back.rolledBackTo()).isEqualTo(1);
    assertThat(it.policies().history())
        .extracting(PolicyRevision::number, PolicyRevision::author)
        .containsExactly(tuple(3L, "otto"), tuple(2L, "olga"), tuple(1L, "olga"));
  }

  @Test
  void deactivationWithdrawsHints() throws Exception {
    apply(set(fast()));
    it.cycles(1);
    it.node().settings.withdraw();
    for (HostId host : HOSTS) {
      assertThat(it.hints(host)).isEmpty();
    }
    it.cycles(2);
    assertThat(it.hints(H1)).isEmpty();
    assertThat(it.policies().current().flatMap(PolicyRevision::set))
        .as("what is stored stays")
        .isPresent();
  }

  @Test
  void hintsAreSentByTheLeaderInItsTerm() throws Exception {
    HintedNetwork two = new HintedNetwork("n1", "n2");
    MemoryNode first = two.nodes.get(0);
    MemoryNode second = two.nodes.get(1);
    second.controller().policies().apply(set(fast()), "olga");
    two.cycles(2);
    assertThat(two.hints(H1)).isEqualTo(FAST_TO_ALL);
    assertThat(all(second, H1)).isEmpty();
    assertThat(first.controller().policies().isEvaluating()).isTrue();
    assertThat(second.controller().policies().isEvaluating()).isFalse();
    assertThat(second.controller().policies().state()).isEmpty();
    assertThat(second.controller().policies().dryRun(set(fast())).hints())
        .as("each node can say what a set would do")
        .hasSize(3);

    two.network.elect(Topics.CLUSTER, "n2");
    two.seconds(1);
    assertThat(two.hints(H1)).as("whoever leads no longer withdraws").isEmpty();
    two.cycles(2);
    assertThat(all(second, H1)).extracting(TcpHints::hints).contains(FAST_TO_ALL);
    assertThat(terms(second)).hasSize(1);
    assertThat(terms(second).get(0)).isGreaterThan(terms(first).get(0));
    assertThat(two.hints(H1)).isEmpty();
  }

  private static List<Long> terms(MemoryNode node) {
    return node.link.sent.stream()
        .filter(sent -> sent.message.kind() == DownlinkMessage.Kind.TCP_HINTS)
        .map(sent -> sent.term)
        .distinct()
        .collect(Collectors.toList());
  }

  @Test
  void dryRunReturnsThePreviewAndChangesNothing() throws Exception {
    assertThat(it.policies().dryRun(set(fast())).decisions().get(0).reason())
        .isEqualTo(Reason.UNKNOWN);
    it.seconds(20);
    PolicyPreview quiet = it.policies().dryRun(set(fast()));
    assertThat(quiet.decisions().get(0).reason()).isEqualTo(Reason.HOLDS);
    assertThat(quiet.decisions().get(0).utilisation()).isBetween(0.009, 0.011);
    assertThat(quiet.hints()).hasSize(3);
    it.loads.put("s1/5", 0.9);
    it.seconds(20);
    PolicyPreview busy = it.policies().dryRun(set(fast()));
    assertThat(busy.decisions().get(0).fullestLink()).contains(port("s1/5"));
    assertThat(busy.hints()).isEmpty();
    assertThat(all(it.node(), H1)).isEmpty();
    assertThat(it.policies().current()).isEmpty();
    assertThat(it.policies().history()).isEmpty();
  }

  @Test
  void dryRunOfTheSetInForceUsesItsState() throws Exception {
    PolicySet patient = set(fast().leastCycles(3));
    apply(patient);
    it.cycles(2);
    assertThat(it.policies().dryRun(patient).decisions().get(0).cycles()).isEqualTo(1);
    assertThat(it.policies().dryRun(patient).decisions().get(0).reason()).isEqualTo(Reason.HOLDS);
    assertThat(it.hints(H1)).isEmpty();
    it.cycles(1);
    assertThat(it.hints(H1)).isEqualTo(FAST_TO_ALL);
  }

  @Test
  void hostsReportAppliedHints() throws Exception {
    apply(set(fast()));
    it.cycles(1);
    assertThat(it.policies().hosts())
        .extracting(HostHints::state)
        .containsOnly(HostHints.State.SENT);
    TcpHint rounded = TcpHint.builder().initialWindowSegments(20).rtoMinNanos(4_000_000).build();
    it.report(H1, List.of(AppliedHint.of(rounded, 2, 0)));
    it.report(H2, List.of(AppliedHint.of(TcpHint.NONE, 0, 0)), "rto_min: no such attribute");
    List<HostHints> hosts = it.policies().hosts();
    assertThat(hosts)
        .extracting(HostHints::state)
        .containsExactly(
            HostHints.State.IN_FORCE,
            HostHints.State.REFUSED,
            HostHints.State.SENT,
            HostHints.State.SENT);
    assertThat(hosts.get(0).applied()).containsExactly(AppliedHint.of(rounded, 2, 0));
    assertThat(hosts.get(0).group()).isEqualTo(datapath("s1"));
    assertThat(hosts.get(1).refused()).containsExactly("rto_min: no such attribute");

    it.cycles(3);
    assertThat(it.policies().hosts().get(2).state()).isEqualTo(HostHints.State.UNANSWERED);
    List<Finding> findings = it.node().controller().doctor().examine();
    assertThat(findings)
        .anyMatch(
            finding ->
                finding.what().contains("use no hints: h3, h4")
                    && finding.remedy().contains("hints"));
    assertThat(findings).anyMatch(finding -> finding.what().contains("no such attribute"));
  }

  @Test
  void declinedHintsAreAFindingOnlyWithPoliciesInForce() throws Exception {
    String declined = "tcp-hints: the configuration has no section hints";
    it.node()
        .link
        .connect(
            HostHello.of(
                H1,
                "1.2.3",
                "up0",
                MacAddress.parse(HintedNetwork.mac(1)),
                1_000_000_000,
                List.of(endpoint("h1/vm0", HintedNetwork.mac(1), "10.0.1.1")),
                List.of("htb: no limits", declined)));
    it.seconds(1);
    assertThat(it.node().controller().hosts().host(H1).orElseThrow().missingFeatures())
        .containsExactly("htb: no limits");
    apply(set(fast()));
    HostHints host = it.policies().hosts().get(0);
    assertThat(host.state()).isEqualTo(HostHints.State.UNANSWERED);
    assertThat(host.refused()).containsExactly(declined);
    assertThat(it.node().controller().doctor().examine())
        .anyMatch(finding -> finding.what().contains("uses no hints: h1"));
  }

  @Test
  void repeatedRefusalsOfAHostAreJournaledAtALimitedRate() throws Exception {
    apply(set(fast()));
    for (int i = 0; i < 100; i++) {
      it.report(H1, List.of(), "reason " + i);
      it.network.time.advanceMillis(1);
    }
    assertThat(refusals()).containsExactly("reason 0");
    assertThat(it.policies().hosts().get(0).refused()).containsExactly("reason 99");
    it.seconds(11);
    it.report(H1, List.of());
    it.report(H1, List.of(), "reason 0");
    assertThat(refusals()).as("it was well between").containsExactly("reason 0", "reason 0");
  }

  private List<String> refusals() {
    return it.node().journal.entries(-1, Optional.empty(), 1000).stream()
        .filter(entry -> entry.decision().contains("cannot apply hints"))
        .map(JournalEntry::evidence)
        .collect(Collectors.toList());
  }

  @Test
  void decisionsAreJournaledWithTheirEvidence() throws Exception {
    apply(set("mine", fast()));
    it.cycles(1);
    it.loads.put("s2/5", 0.75);
    it.cycles(1);
    assertThat(it.journal())
        .hasSize(3)
        .satisfies(
            entries -> {
              assertThat(entries.get(2))
                  .contains("Policies mine are in force as revision 1", "olga", "every 5.0 s");
              assertThat(entries.get(1))
                  .contains("Policy fast gives hints for all hosts", "1.0 %", "4 hosts");
              assertThat(entries.get(0))
                  .contains("Policy fast ends its hints", "75.0 %", port("s2/5").toString())
                  .contains("constraint", "0 hosts");
            });
  }

  @Test
  void mismatchesAreFoundBeforeASetIsApplied() throws Exception {
    it.seconds(20);
    PolicySet hasty = PolicySet.builder("hasty").cycleNanos(1_000_000_000L).build();
    assertThat(it.policies().validate(hasty)).isEmpty();
    it.node().counters.poll(PortSample.builder(port("s1/5")).intervalNanos(5_000_000_000L).build());
    it.network.time.advanceMillis(10);
    assertThat(it.policies().validate(hasty))
        .extracting(PolicyFinding::field, PolicyFinding::value)
        .containsExactly(tuple("cycleSeconds", "1.0"));
    assertThat(it.policies().validate(set(fast()))).isEmpty();
    assertThat(it.policies().validate(set(fast().scope(Scope.GROUPS).sources(List.of("nobody")))))
        .extracting(PolicyFinding::field, PolicyFinding::value)
        .containsExactly(tuple("policies[0].from", "nobody"));
  }

  @Test
  void setThatCannotBeStoredIsRejected() throws Exception {
    apply(set(fast()));
    it.network.storage.setAvailable(false);
    SluiceException refusal =
        catchThrowableOfType(
            SluiceException.class, () -> it.policies().apply(set("other", fast()), "olga"));
    assertThat(refusal.kind()).isEqualTo(SluiceException.Kind.UNAVAILABLE);
    assertThat(it.policies().current().flatMap(PolicyRevision::set).map(PolicySet::name))
        .isEqualTo(Optional.of("test"));
  }

  @Test
  void hintsOfSeveralPoliciesAreMerged() throws Exception {
    apply(
        set(
            fast(),
            paced(Limits.of(0.5, Limits.NO_LIMIT))
                .hint(TcpHint.builder().congestionControl("dctcp").build())));
    it.cycles(1);
    assertThat(it.hints(H1).get(0).hint().congestionControl()).isEqualTo("dctcp");
    assertThat(it.hints(H1).get(0).hint().initialWindowSegments()).isEqualTo(20);
    it.loads.put("s1/5", 0.6);
    it.cycles(1);
    assertThat(it.hints(H1)).isEqualTo(FAST_TO_ALL);
  }

  private static Policy.Builder paced(Limits limits) {
    return Policy.builder("paced").enterBelow(limits).leaveAt(limits);
  }

  @Test
  void groupsWithTooManyPrefixesGetNoHints() throws Exception {
    String[] odd = new String[HintOutbox.MOST_PREFIXES];
    for (int i = 0; i < odd.length; i++) {
      odd[i] = "10.9." + i / 128 + "." + (2 * (i % 128) + 1);
    }
    it.node().link.connect(hello("h3", endpoint("h3/vm0", HintedNetwork.mac(3), odd)));
    it.network.seen(HintedNetwork.mac(3), "s3/1", odd[0]);
    it.seconds(1);
    apply(set(fast().scope(Scope.PAIRS)));
    it.cycles(1);
    assertThat(it.hints(H1))
        .extracting(hint -> hint.destinations().size())
        .as("towards s1 and s2")
        .containsExactly(2, 1);
    assertThat(it.policies().hosts().get(0).leftOutGroups()).isEqualTo(1);
    assertThat(it.node().controller().doctor().examine())
        .anyMatch(finding -> finding.what().contains("1 group are left out"));
  }

  @Test
  void newAddressesAreAddedToHints() throws Exception {
    apply(set(fast().scope(Scope.PAIRS)));
    it.cycles(1);
    int before = all(it.node(), H3).size();
    it.node()
        .link
        .report(
            UplinkMessage.ofEvent(
                HostEvent.of(
                    H1,
                    HostEvent.Kind.ENDPOINTS_CHANGED,
                    "",
                    List.of(endpoint("h1/vm0", HintedNetwork.mac(1), "10.0.1.1", "10.0.1.3")))));
    it.seconds(1);
    assertThat(all(it.node(), H3)).hasSize(before + 1);
    assertThat(it.hints(H3).get(0).destinations())
        .containsExactly(IpPrefix.parse("10.0.1.1/32"), IpPrefix.parse("10.0.1.2/31"));
  }
}

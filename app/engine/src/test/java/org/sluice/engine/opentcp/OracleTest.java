// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.opentcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.groups.Tuple.tuple;
import static org.sluice.engine.opentcp.SmallFabric.A;
import static org.sluice.engine.opentcp.SmallFabric.B;
import static org.sluice.engine.opentcp.SmallFabric.DOWN_B;
import static org.sluice.engine.opentcp.SmallFabric.FAST;
import static org.sluice.engine.opentcp.SmallFabric.HOST_A;
import static org.sluice.engine.opentcp.SmallFabric.UP_A;
import static org.sluice.engine.opentcp.SmallFabric.UP_B;
import static org.sluice.engine.opentcp.SmallFabric.fast;
import static org.sluice.engine.opentcp.SmallFabric.set;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.sluice.api.PortId;
import org.sluice.api.policy.GroupHint;
import org.sluice.api.policy.Limits;
import org.sluice.api.policy.Policy;
import org.sluice.api.policy.Policy.Links;
import org.sluice.api.policy.Policy.Scope;
import org.sluice.api.policy.PolicyDecision;
import org.sluice.api.policy.PolicyDecision.Reason;
import org.sluice.api.policy.PolicyFinding;
import org.sluice.api.policy.PolicyPresets;
import org.sluice.api.policy.PolicyPreview;
import org.sluice.api.policy.PolicySet;
import org.sluice.api.policy.TcpHint;

class OracleTest {
  private final SmallFabric network = new SmallFabric();
  private final Oracle oracle = network.oracle;

  @Test
  void openTcp1HintsBelow70PercentAndWithdrawsInTheCycleThatReachesIt() {
    oracle.apply(PolicyPresets.openTcp1());
    network.utilisation[UP_B] = 0.69;
    network.cycle();
    assertThat(network.hints).containsEntry("0>*", FAST).containsEntry("1>*", FAST);
    network.utilisation[UP_B] = 0.71;
    network.cycle();
    assertThat(network.hints).containsEntry("0>*", TcpHint.NONE).containsEntry("1>*", TcpHint.NONE);
  }

  @Test
  void openTcp1IgnoresDropsAndOpenTcp2DoesNot() {
    oracle.apply(PolicyPresets.openTcp1());
    network.utilisation[UP_A] = 0.5;
    network.dropRate[UP_A] = 0.002;
    network.cycle();
    assertThat(network.isFast(A)).isTrue();
    oracle.apply(PolicyPresets.openTcp2());
    network.cycle();
    assertThat(network.isFast(A)).isFalse();
    network.dropRate[UP_A] = 0.0005;
    network.cycle();
    assertThat(network.isFast(A)).isTrue();
  }

  @Test
  void dropsArePooledOverLinks() {
    oracle.apply(PolicyPresets.openTcp2());
    // 20 of 10020 on one link, none of 40000 on the others: 0.04 %.
    network.utilisation[UP_A] = 0.1;
    network.dropRate[UP_A] = 20.0 / 10_020;
    network.utilisation[UP_B] = 0.4;
    network.cycle();
    assertThat(network.isFast(A)).isTrue();
    assertThat(oracle.state().decisions().get(0).dropRate()).isCloseTo(20.0 / 50_020, within(1e-9));
  }

  @Test
  void onlyChangesAreSent() {
    oracle.apply(PolicyPresets.openTcp1());
    network.cycles(5);
    assertThat(network.sent).containsExactly("0>*", "1>*");
    oracle.apply(PolicyPresets.openTcp2());
    network.cycles(3);
    assertThat(network.sent).as("the same hints by another set").hasSize(2);
    oracle.withdraw();
    oracle.withdraw();
    assertThat(network.sent).hasSize(4);
    assertThat(network.isFast(A)).isFalse();
    network.cycles(2);
    assertThat(oracle.changes()).isEqualTo(4);
  }

  @Test
  void hysteresisAndMinimumCyclesSuppressNoise() {
    oracle.apply(set(fast(0.4, 0.6).leastCycles(3).build()));
    network.utilisation[UP_A] = 0.3;
    network.cycles(2);
    assertThat(network.isFast(A)).as("two cycles").isFalse();
    network.cycle();
    assertThat(network.isFast(A)).as("three cycles").isTrue();
    network.utilisation[UP_A] = 0.65;
    network.cycles(2);
    assertThat(network.isFast(A)).as("leaves not before three cycles").isTrue();
    network.cycle();
    assertThat(network.isFast(A)).isFalse();
    network.utilisation[UP_A] = 0.5;
    network.cycles(5);
    assertThat(network.isFast(A)).as("between both thresholds").isFalse();
  }

  @Test
  void constraintsEndHintsAtOnce() {
    oracle.apply(set(fast(0.4, 0.9).leastCycles(10).build()));
    network.cycles(10);
    assertThat(network.isFast(A)).isTrue();
    network.utilisation[UP_A] = 0.75;
    network.cycle();
    assertThat(network.isFast(A)).isFalse();
    assertThat(oracle.state().decisions().get(0).reason()).isEqualTo(Reason.CONSTRAINT);
  }

  @Test
  void policyMayCountFabricLinksAlone() {
    oracle.apply(set(fast(0.5, 0.5).links(Links.FABRIC).build()));
    network.utilisation[HOST_A] = 0.95;
    network.cycle();
    assertThat(network.isFast(A)).isTrue();
    network.utilisation[UP_A] = 0.6;
    network.cycle();
    assertThat(network.isFast(A)).isFalse();
  }

  @Test
  void pathsOfAGroupsTrafficDecideAboutIt() {
    oracle.apply(set(fast(0.5, 0.5).scope(Scope.GROUPS).links(Links.PATH).build()));
    oracle.matrix().add(A, B, 1000);
    oracle.matrix().add(B, B, 1000);
    oracle.matrix().roll();
    network.utilisation[DOWN_B] = 0.6;
    network.cycle();
    assertThat(network.isFast(A)).as("crosses it").isFalse();
    assertThat(network.isFast(B)).as("stays in its rack").isTrue();
    oracle.matrix().roll();
    network.utilisation[DOWN_B] = 0;
    network.utilisation[UP_B] = 0.6;
    network.cycle();
    assertThat(network.isFast(B)).as("sends nothing: all its paths").isFalse();
  }

  @Test
  void pairsAreDecidedSeparatelyAndTakePrecedence() {
    TcpHint window = TcpHint.builder().initialWindowSegments(15).build();
    oracle.apply(
        set(
            fast(0.5, 0.5).scope(Scope.PAIRS).sources(List.of("a")).links(Links.PATH).build(),
            Policy.builder("some")
                .enterBelow(Limits.of(0.7, 0.01))
                .leaveAt(Limits.of(0.7, 0.01))
                .hint(window)
                .build()));
    network.utilisation[DOWN_B] = 0.6;
    network.cycle();
    assertThat(network.hints)
        .containsEntry("0>0", FAST)
        .containsEntry("0>*", window)
        .doesNotContainKey("0>1")
        .doesNotContainKey("1>0");
    assertThat(oracle.state().hints())
        .extracting(GroupHint::source, GroupHint::destination)
        .containsExactly(tuple("a", ""), tuple("a", "a"), tuple("b", ""));
  }

  @Test
  void hintsForPairsEndWithTheirPolicySet() {
    PolicySet pairs = set(fast(0.5, 0.5).scope(Scope.PAIRS).links(Links.PATH).build());
    oracle.apply(pairs);
    network.cycle();
    assertThat(network.hints.keySet()).containsExactly("0>0", "0>1", "1>0", "1>1");
    oracle.apply(set(fast(0.5, 0.5).build()));
    network.cycle();
    assertThat(network.hints)
        .containsEntry("0>1", TcpHint.NONE)
        .containsEntry("1>1", TcpHint.NONE)
        .containsEntry("0>*", FAST);
    oracle.apply(pairs);
    network.cycle();
    oracle.withdraw();
    assertThat(network.hints.values()).containsOnly(TcpHint.NONE);
  }

  @Test
  void earlierPoliciesTakePrecedenceAndLaterOnesAddMissingParameters() {
    TcpHint later = TcpHint.builder().initialWindowSegments(30).congestionControl("dctcp").build();
    oracle.apply(
        set(
            fast(0.7, 0.7).build(),
            Policy.builder("later")
                .enterBelow(Limits.of(0.7, Limits.NO_LIMIT))
                .hint(later)
                .build()));
    network.cycle();
    assertThat(network.hints.get("0>*"))
        .isEqualTo(
            TcpHint.builder()
                .initialWindowSegments(20)
                .rtoMinNanos(2_000_000)
                .congestionControl("dctcp")
                .build());
  }

  @Test
  void unreadLinkIsUnknownAfterTwoCycles() {
    oracle.apply(PolicyPresets.openTcp1());
    network.cycle();
    network.isRead[UP_A] = false;
    network.cycle();
    assertThat(network.isFast(A)).as("one reading is missing").isTrue();
    network.cycle();
    assertThat(network.isFast(A)).isFalse();
    PolicyDecision decision = oracle.state().decisions().get(0);
    assertThat(decision.reason()).isEqualTo(Reason.UNKNOWN);
    assertThat(decision.utilisation()).isNaN();
    assertThat(decision.fullestLink()).contains(PortId.of("of:1", UP_A));
    network.isRead[UP_A] = true;
    network.cycles(2);
    assertThat(network.isFast(A)).isTrue();
  }

  @Test
  void resetCountersAreNoLoad() {
    oracle.apply(PolicyPresets.openTcp2());
    network.utilisation[UP_A] = 0.4;
    network.cycles(2);
    network.bytes[UP_A] = 0;
    network.packets[UP_A] = 0;
    network.drops[UP_A] = 0;
    network.cycles(3);
    assertThat(network.isFast(A)).isTrue();
    assertThat(network.sent).hasSize(2);
  }

  @Test
  void clockStepBackwardsIsNoInterval() {
    oracle.apply(PolicyPresets.openTcp2());
    network.cycle();
    network.nowNanos -= 10_000_000_000L;
    network.cycles(4);
    assertThat(network.isFast(A)).isTrue();
    assertThat(oracle.readings().resets()).isEqualTo(SmallFabric.LINKS);
  }

  @Test
  void uncountedDropsAreUnknownOnlyToPoliciesThatUseThem() {
    Arrays.fill(network.drops, LinkReadings.NOT_COUNTED);
    network.read();
    oracle.apply(PolicyPresets.openTcp1());
    network.cycles(2);
    assertThat(network.isFast(A)).isTrue();
    oracle.apply(PolicyPresets.openTcp2());
    network.cycles(2);
    assertThat(network.isFast(A)).isFalse();
    assertThat(oracle.state().decisions().get(0).reason()).isEqualTo(Reason.UNKNOWN);
  }

  @Test
  void dryRunChangesNothing() {
    oracle.apply(set(fast(0.4, 0.6).leastCycles(2).build()));
    network.cycle();
    PolicyPreview before = oracle.state();
    PolicySet other = set(fast(0.5, 0.5).build());
    PolicyPreview preview = oracle.dryRun(other);
    assertThat(preview.decisions().get(0).isActive()).isTrue();
    assertThat(preview.hints()).hasSize(2);
    assertThat(oracle.state()).isEqualTo(before);
    assertThat(network.sent).isEmpty();
    assertThat(oracle.dryRun(other)).isEqualTo(preview);
  }

  @Test
  void dryRunOfTheSetInForceUsesItsState() {
    PolicySet inForce = set(fast(0.4, 0.6).leastCycles(2).build());
    oracle.apply(inForce);
    network.cycle();
    assertThat(oracle.state().decisions().get(0).reason()).isEqualTo(Reason.WAITS);
    assertThat(oracle.dryRun(inForce).decisions().get(0).isActive()).isTrue();
    assertThat(oracle.dryRun(set(fast(0.5, 0.5).leastCycles(2).build())).hints()).isEmpty();
  }

  @Test
  void unknownNamesAreFound() {
    PolicySet set = set(fast(0.5, 0.5).scope(Scope.GROUPS).sources(List.of("a", "rack-9")).build());
    assertThat(oracle.validate(set))
        .extracting(PolicyFinding::field, PolicyFinding::value)
        .containsExactly(tuple("policies[0].from", "rack-9"));
    oracle.apply(set);
    network.cycle();
    assertThat(network.hints.keySet()).containsExactly("0>*");
  }

  @Test
  void targetsBeyondACyclesLimitAreRejected() {
    GroupTopology many =
        new GroupTopology(
            IntStream.range(0, 1200).mapToObj(i -> "g" + i).collect(Collectors.toList()));
    Oracle large = new Oracle(many, (source, destination, hint) -> {});
    PolicySet pairs = set(fast(0.5, 0.5).scope(Scope.PAIRS).build());
    assertThat(large.validate(pairs)).hasSize(1);
    assertThatThrownBy(() -> large.apply(pairs))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1440000 targets");
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sluice.core.ClusteredNetwork.IP1;
import static org.sluice.core.ClusteredNetwork.MILLI;
import static org.sluice.core.ClusteredNetwork.keyIds;
import static org.sluice.core.ClusteredNetwork.lastShare;
import static org.sluice.core.ClusteredNetwork.terms;
import static org.sluice.core.testing.Samples.datapath;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.api.Expectation;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.DownlinkMessage.Kind;
import org.sluice.api.policy.Limits;
import org.sluice.api.policy.Policy;
import org.sluice.api.policy.PolicyConstraints;
import org.sluice.api.policy.PolicyRevision;
import org.sluice.api.policy.PolicyService;
import org.sluice.api.policy.PolicySet;
import org.sluice.api.policy.TcpHint;
import org.sluice.core.setting.Topics;
import org.sluice.core.testing.MemoryCluster;
import org.sluice.core.testing.MemoryNode;

/** The node that leads dies or is cut off, or the cluster's store stops, and is back. */
class NodeFailureTest {
  /** When a node that is cut off has lost its roles, and others have had time to take them over. */
  private static final long TAKEOVER_MILLIS = MemoryCluster.SESSION_MILLIS + 1_000;

  /** After so long a node that is back knows all again. */
  private static final long RETURN_MILLIS = 11_000;

  private final ClusteredNetwork it = new ClusteredNetwork().start("n1", "n2", "n3");
  private final MemoryNode first = it.nodes.get("n1");
  private final MemoryNode second = it.nodes.get("n2");

  private PolicyService policies(String node) {
    return it.nodes.get(node).controller().policies();
  }

  private PolicyRevision apply(String node, String name) throws SluiceException {
    Limits limits = Limits.of(PolicyConstraints.UTILISATION, PolicyConstraints.DROP_RATE);
    TcpHint hint = TcpHint.builder().initialWindowSegments(20).build();
    Policy fast = Policy.builder("fast").enterBelow(limits).leaveAt(limits).hint(hint).build();
    PolicySet set =
        PolicySet.builder(name).cycleNanos(5_000 * MILLI).policies(List.of(fast)).build();
    return policies(node).apply(set, "tester", Expectation.none());
  }

  private List<String> findings(String node) {
    return it.nodes.get(node).controller().doctor().examine().stream()
        .map(finding -> finding.about() + ": " + finding.what())
        .collect(Collectors.toList());
  }

  private static void unavailable(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> {
              assertThat(e.kind()).isEqualTo(SluiceException.Kind.UNAVAILABLE);
              assertThat(e).hasMessageContaining("store cannot be written");
              assertThat(e.remedy()).isNotEmpty();
            });
  }

  private void allWritesAreRefused(String node) {
    unavailable(() -> it.tryToPut(node, 7));
    unavailable(() -> it.register(node, 7, 1_000, 60_000));
    unavailable(() -> apply(node, "other"));
  }

  /** 4 MB in a second are 32 of 50 Mbit/s. */
  private FlowStatus promised() throws SluiceException {
    FlowStatus flow = it.register("n1", 1, 4_000_000, 300_000).flow().orElseThrow();
    assertThat(flow.promised()).isTrue();
    return flow;
  }

  @Test
  void nextNodeGoesOnWithTheWorkOfOneThatDied() throws Exception {
    FlowStatus flow = promised();
    PolicyRevision revision = apply("n1", "before");
    it.marked(20);
    double share = lastShare(first);
    it.die("n1");

    it.pass(TAKEOVER_MILLIS);
    it.marked(20);

    assertThat(it.network.leaderOf(Topics.CLUSTER)).contains("n2");
    assertThat(it.cluster.holderOf(datapath("s1"))).contains("n2");
    assertThat(it.weight("n2")).isEqualTo(1);
    assertThat(it.flows("n2").get(flow.id()).promised()).isTrue();
    assertThat(it.flows("n2").get(flow.id()).deadline()).isEqualTo(flow.deadline());
    assertThat(policies("n2").current()).contains(revision);
    assertThat(policies("n2").isEvaluating()).isTrue();
    assertThat(second.controller().reportedEndpoints().holder(IP1)).isPresent();
    assertThat(keyIds(second)).isEqualTo(keyIds(first));
    assertThat(lastShare(second)).isBetween(share * 0.9, share * 1.1);
    assertThat(it.senderOf(Kind.PROFILES)).isEqualTo("n2");
    assertThat(it.stale).isEmpty();
    assertThat(apply("n3", "after").number()).isEqualTo(revision.number() + 1);
  }

  @Test
  void nodeThatIsCutOffDecidesAboutItsSwitchesAndWritesNothing() throws Exception {
    FlowStatus flow = promised();
    apply("n1", "before");
    it.marked(20);
    it.cluster.cut("n1");
    it.pass(TAKEOVER_MILLIS);
    first.link.sent.clear();

    allWritesAreRefused("n1");
    it.marked(20);

    // It may think itself the master, and its agents go by the lowest share.
    assertThat(terms(first, Kind.UNIT_SHARES)).hasSize(1);
    assertThat(terms(first, Kind.PROFILES)).isEmpty();
    assertThat(it.weight("n1")).isEqualTo(1);
    assertThat(it.flows("n1")).containsKey(flow.id());
    assertThat(policies("n1").current().orElseThrow().number()).isEqualTo(1);
    assertThat(policies("n1").isEvaluating()).isFalse();
    assertThat(findings("n1")).anyMatch(each -> each.startsWith("cluster's store: "));
    assertThat(findings("n2")).noneMatch(each -> each.startsWith("cluster's store: "));
    assertThat(it.stale).isEmpty();
  }

  /** Whether or not it took itself for the leader meanwhile. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nothingStaleWinsWhenANodeThatWasCutOffIsBack(boolean thinksItLeads) throws Exception {
    if (thinksItLeads) {
      it.cluster.keepLeadersThatAreCutOff();
    }
    FlowStatus removed = promised();
    apply("n1", "before");
    it.cluster.cut("n1");
    it.pass(TAKEOVER_MILLIS);
    it.put("n2", 5);
    second.controller().flows().remove(removed.id(), Expectation.none());
    FlowStatus added = it.register("n2", 2, 4_000_000, 60_000).flow().orElseThrow();
    apply("n2", "after");
    it.marked(20);
    it.pass(TAKEOVER_MILLIS);

    it.cluster.heal("n1");
    it.pass(RETURN_MILLIS);

    assertThat(it.weight("n1")).isEqualTo(5);
    assertThat(it.flows("n1")).containsOnlyKeys(added.id());
    assertThat(it.flows("n2")).containsOnlyKeys(added.id());
    assertThat(policies("n1").current()).isEqualTo(policies("n2").current());
    assertThat(findings("n1")).noneMatch(each -> each.startsWith("cluster's store: "));
    assertThat(it.network.leaderOf(Topics.CLUSTER)).contains("n2");
    assertThat(it.senderOf(Kind.PROFILES)).isEqualTo("n2");
    assertThat(it.stale).isEmpty();
  }

  @Test
  void shortCutChangesNobodysRole() throws Exception {
    long term = terms(first, Kind.PROFILES).get(0);
    it.cluster.cut("n1");
    it.pass(MemoryCluster.SESSION_MILLIS / 2);
    it.put("n2", 5);
    it.cluster.heal("n1");
    it.pass(TAKEOVER_MILLIS);
    assertThat(it.network.leaderOf(Topics.CLUSTER)).contains("n1");
    assertThat(it.weight("n1")).isEqualTo(5);
    assertThat(terms(first, Kind.PROFILES)).containsExactly(term);
  }

  @Test
  void allIsAsBeforeOnceTheStoreIsBack() throws Exception {
    FlowStatus flow = promised();
    PolicyRevision revision = apply("n1", "before");
    it.marked(20);
    double share = lastShare(first);
    it.network.storage.setAvailable(false);
    it.pass(30_000);
    allWritesAreRefused("n1");
    allWritesAreRefused("n2");
    it.marked(20);
    assertThat(lastShare(first)).isBetween(share * 0.9, share * 1.1);

    it.network.storage.setAvailable(true);
    it.pass(RETURN_MILLIS);

    for (String node : List.of("n1", "n2", "n3")) {
      Map<Long, FlowStatus> flows = it.flows(node);
      assertThat(flows).containsOnlyKeys(flow.id());
      assertThat(flows.get(flow.id()).promised()).isTrue();
      assertThat(it.weight(node)).isEqualTo(1);
      assertThat(policies(node).current()).contains(revision);
    }
    it.put("n2", 3);
    assertThat(it.register("n2", 2, 1_000, 60_000).flow()).isPresent();
    it.pass(10);
    assertThat(it.weight("n1")).isEqualTo(3);
    assertThat(it.flows("n1")).hasSize(2);
  }
}

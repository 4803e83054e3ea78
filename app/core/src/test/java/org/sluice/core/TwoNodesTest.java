// SPDX-License-Identifier: Apache-2.0
package org.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.sluice.core.ClusteredNetwork.H1;
import static org.sluice.core.ClusteredNetwork.H5;
import static org.sluice.core.ClusteredNetwork.RED;
import static org.sluice.core.ClusteredNetwork.keyIds;
import static org.sluice.core.ClusteredNetwork.lastShare;
import static org.sluice.core.ClusteredNetwork.terms;
import static org.sluice.core.testing.Samples.datapath;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.api.cluster.NodeStatus;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.DownlinkMessage.Kind;
import org.sluice.core.setting.Topics;
import org.sluice.core.testing.MemoryCluster;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

/** Two whole nodes control one network: one dies, or switches change their master. */
class TwoNodesTest {
  private final ClusteredNetwork it = new ClusteredNetwork().start("n1", "n2");
  private final MemoryNetwork network = it.network;
  private final MemoryNode first = it.nodes.get("n1");
  private final MemoryNode second = it.nodes.get("n2");

  @Test
  void onlyTheLeaderPublishes() {
    network.time.advanceMillis(10_000);
    assertThat(terms(first, Kind.PROFILES)).hasSize(1);
    assertThat(terms(first, Kind.SETTINGS)).hasSize(1);
    assertThat(second.link.sent).isEmpty();
  }

  @Test
  void newLeaderPublishesTheSameStateInAHigherTerm() {
    assertThat(network.leaderOf(Topics.CLUSTER)).contains("n1");
    it.stop("n1");
    it.setMaster("n2");
    network.time.advanceMillis(10);

    assertThat(network.leaderOf(Topics.CLUSTER)).contains("n2");
    for (Kind kind : List.of(Kind.PROFILES, Kind.SETTINGS, Kind.PEER_AUTHORITY)) {
      assertThat(terms(second, kind)).hasSize(1);
      assertThat(terms(second, kind).get(0)).isGreaterThan(terms(first, kind).get(0));
    }
    assertThat(keyIds(second)).isEqualTo(keyIds(first));
    List<DownlinkMessage> before = profiles(first);
    assertThat(profiles(second)).containsExactly(before.get(before.size() - 1));
  }

  /** What a dead leader has reported counts for a while yet, but not about who leads. */
  @Test
  void newLeaderSaysAtOnceThatItLeads() {
    network.time.advanceMillis(10_000);
    it.die("n1");
    network.time.advanceMillis(MemoryCluster.SESSION_MILLIS + 10);

    assertThat(network.leaderOf(Topics.CLUSTER)).contains("n2");
    assertThat(second.controller().cluster().status().nodes())
        .filteredOn(NodeStatus::leads)
        .extracting(NodeStatus::name)
        .containsExactly("n2");
  }

  private static List<DownlinkMessage> profiles(MemoryNode node) {
    return node.link.sentTo(H1, Kind.PROFILES, message -> message);
  }

  @Test
  void registrationsAndAdmissionsSurviveTheLeader() throws Exception {
    FlowStatus made = it.register("n1", 1, 4_000_000, 1_000).flow().orElseThrow();
    assertThat(made.tenant()).isEqualTo(RED);
    it.stop("n1");
    it.setMaster("n2");

    FlowStatus copy = second.controller().flows().flow(made.id()).orElseThrow();
    assertThat(copy.promised()).isTrue();
    assertThat(copy.state()).isEqualTo(FlowState.WAITING);
    assertThat(copy.deadline()).isEqualTo(made.deadline());
    assertThat(copy.tenant()).isEqualTo(RED);
    assertThat(it.register("n2", 2, 4_000_000, 1_000).flow()).isEmpty();
    FlowStatus next = it.register("n2", 2, 1_000, 60_000).flow().orElseThrow();
    assertThat(next.id()).isGreaterThan(made.id());
  }

  /** Hosts ignore what is of an older term than this node's last one. */
  @Test
  void rejoinedNodePublishesInAHigherTermThanAllBefore() {
    it.stop("n1");
    network.time.advanceMillis(1_000);
    MemoryNode again = it.join("n1");
    assertThat(again.link.sent).isEmpty();

    it.stop("n2");

    assertThat(terms(again, Kind.PROFILES).get(0))
        .isGreaterThan(terms(second, Kind.PROFILES).get(0));
    assertThat(keyIds(again)).isEqualTo(keyIds(second));
  }

  @Test
  void onlyTheMasterOfASwitchDecidesAboutItsPorts() {
    it.marked(20);
    assertThat(terms(first, Kind.UNIT_SHARES)).hasSize(1);
    assertThat(terms(second, Kind.UNIT_SHARES)).isEmpty();
  }

  @Test
  void theNewMasterOfASwitchPublishesInAHigherTerm() {
    it.marked(5);
    long before = terms(first, Kind.UNIT_SHARES).get(0);
    it.setMaster("n2");
    network.time.advanceMillis(5);
    first.link.sent.clear();

    it.marked(5);

    assertThat(terms(first, Kind.UNIT_SHARES)).isEmpty();
    List<Long> after = terms(second, Kind.UNIT_SHARES);
    assertThat(after).hasSize(1);
    assertThat(after.get(0)).isGreaterThan(before);

    it.setMaster("n1");
    network.time.advanceMillis(5);
    it.marked(5);
    assertThat(terms(first, Kind.UNIT_SHARES))
        .singleElement()
        .satisfies(term -> assertThat(term).isGreaterThan(after.get(0)));
  }

  @Test
  void newMasterReachesTheDecisionsOfTheFailedOne() {
    it.marked(20);
    double decided = lastShare(first);
    it.stop("n1");
    it.setMaster("n2");

    it.marked(20);

    assertThat(lastShare(second)).isBetween(decided * 0.9, decided * 1.1);
  }

  @Test
  void countersAreReadByTheMaster() {
    String s1 = datapath("s1");
    network.time.advanceMillis(1_000);
    assertThat(first.counters.targets).containsKey(s1);
    assertThat(second.counters.targets).doesNotContainKey(s1);

    it.stop("n1");
    it.setMaster("n2");
    network.time.advanceMillis(1);

    assertThat(first.counters.targets).isEmpty();
    assertThat(second.counters.targets).containsKey(s1);
  }

  @Test
  void tenantsSetOnOneNodeApplyOnTheOther() throws Exception {
    it.stop("n1");
    assertThat(second.controller().tenants().tenant(RED)).isPresent();
    assertThat(second.controller().endpoints().endpoints())
        .extracting(each -> each.id().host(), each -> each.tenant())
        .containsExactlyInAnyOrder(tuple(H1, RED), tuple(H5, RED));
  }

  @Test
  void newLeaderPublishesOnceStorageIsAvailable() {
    network.storage.setAvailable(false);
    it.stop("n1");
    network.time.advanceMillis(1_000);
    assertThat(second.link.sent).isEmpty();

    network.storage.setAvailable(true);
    network.time.advanceMillis(60_000);

    assertThat(terms(second, Kind.PROFILES)).hasSize(1);
    assertThat(terms(second, Kind.SETTINGS)).isEqualTo(terms(second, Kind.PROFILES));
  }
}

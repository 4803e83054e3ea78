// SPDX-License-Identifier: Apache-2.0
package org.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.datapath;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.sluice.api.cluster.ClusterStatus;
import org.sluice.api.cluster.NodeStatus;
import org.sluice.api.cluster.NodeStatus.State;
import org.sluice.core.setting.Topics;
import org.sluice.core.testing.MemoryCluster;

/** What each node of a cluster shows of it, and that one whose clock is off does not lead. */
class ClusterStatusTest {
  private static final long HOUR_MILLIS = TimeUnit.HOURS.toMillis(1);

  /** Three reports. */
  private static final long REPORTED_MILLIS = 16_000;

  private final ClusteredNetwork it = new ClusteredNetwork();

  private ClusterStatus status(String node) {
    return it.nodes.get(node).controller().cluster().status();
  }

  private Map<String, State> states(String node) {
    return status(node).nodes().stream()
        .collect(Collectors.toMap(NodeStatus::name, NodeStatus::state));
  }

  private List<String> findings(String node) {
    return it.nodes.get(node).controller().doctor().examine().stream()
        .map(finding -> finding.about() + ": " + finding.what())
        .filter(text -> text.startsWith("node ") || text.startsWith("cluster"))
        .filter(text -> !text.contains("is the master of"))
        .collect(Collectors.toList());
  }

  @Test
  void everyNodeShowsWhoIsThereWhoLeadsAndWhoMastersWhat() {
    it.start("n1", "n2", "n3");
    it.network.setMaster("s2", "n3");
    it.pass(10_000);
    for (String node : it.nodes.keySet()) {
      assertThat(states(node)).containsOnlyKeys("n1", "n2", "n3").containsValues(State.RUNNING);
      assertThat(states(node).values()).containsOnly(State.RUNNING);
      assertThat(status(node).leader()).contains("n1");
      assertThat(status(node).nodes().get(0).switches()).containsExactly(datapath("s1"));
      assertThat(status(node).nodes().get(2).switches()).containsExactly(datapath("s2"));
      assertThat(status(node).nodes().get(1).version()).isEqualTo("1.2.3");
      assertThat(status(node).isCutOff()).isFalse();
      assertThat(findings(node)).isEmpty();
    }
  }

  @Test
  void deadNodeIsSilentAndFound() {
    it.start("n1", "n2", "n3");
    it.pass(10_000);
    it.die("n3");
    it.pass(REPORTED_MILLIS);
    assertThat(states("n1")).containsEntry("n3", State.SILENT).containsEntry("n2", State.RUNNING);
    assertThat(findings("n2"))
        .singleElement()
        .asString()
        .startsWith("node n3: Sluice has not reported there for");
  }

  @Test
  void nodeThatIsCutOffSaysSoAndClaimsNothing() {
    it.start("n1", "n2", "n3");
    it.pass(10_000);
    it.cluster.cut("n1");
    it.pass(MemoryCluster.SESSION_MILLIS + REPORTED_MILLIS);
    assertThat(status("n1").isCutOff()).isTrue();
    assertThat(status("n1").leader()).isEmpty();
    assertThat(states("n1")).containsEntry("n2", State.UNKNOWN).containsEntry("n3", State.UNKNOWN);
    assertThat(findings("n1")).singleElement().asString().startsWith("cluster's store: ");
    assertThat(status("n2").leader()).contains("n2");
    assertThat(states("n2")).containsEntry("n1", State.SILENT);

    it.cluster.heal("n1");
    it.pass(REPORTED_MILLIS);
    assertThat(states("n1").values()).containsOnly(State.RUNNING);
    assertThat(status("n1").leader()).contains("n2");
  }

  @Test
  void nodeWhoseClockIsOffIsFoundAndDoesNotLead() {
    it.setMaster("n1");
    it.join("n1", HOUR_MILLIS);
    it.pass(1_000);
    it.join("n2", 0);
    it.join("n3", 0);
    it.pass(30_000);
    assertThat(it.network.leaderOf(Topics.CLUSTER).orElseThrow()).isNotEqualTo("n1");
    for (String node : it.nodes.keySet()) {
      assertThat(findings(node))
          .singleElement()
          .asString()
          .startsWith("node n1: Its clock is 3600 s ahead of those of most nodes");
    }
    assertThat(it.stale).isEmpty();

    it.nodes.get("n1").setClockAheadMillis(0);
    it.pass(30_000);
    assertThat(findings("n1")).isEmpty();
    it.die("n2");
    it.die("n3");
    it.pass(MemoryCluster.SESSION_MILLIS + 1_000);
    assertThat(it.network.leaderOf(Topics.CLUSTER)).contains("n1");
  }

  /** It would be the cluster's time from then on. */
  @Test
  void nodeThatStartsWhileTheLeaderIsLostDoesNotLeadByItsOwnClock() {
    it.start("n1", "n2");
    it.pass(10_000);
    it.die("n1");
    it.join("n3", HOUR_MILLIS);
    it.pass(MemoryCluster.SESSION_MILLIS + 10_000);
    assertThat(it.network.leaderOf(Topics.CLUSTER)).contains("n2");
    it.die("n2"); // By now it knows the cluster's time.
    it.pass(MemoryCluster.SESSION_MILLIS + 1_000);
    assertThat(it.network.leaderOf(Topics.CLUSTER)).contains("n3");
    it.nodes.get("n3").controller().stop();
    assertThat(it.network.leaderOf(Topics.CLUSTER)).isEmpty();
  }

  @Test
  void ofTwoNodesNobodyKnowsWhoseClockIsOff() {
    it.setMaster("n1");
    it.join("n1", HOUR_MILLIS);
    it.join("n2", 0);
    it.pass(60_000);
    assertThat(it.network.leaderOf(Topics.CLUSTER)).contains("n1");
    assertThat(findings("n1")).isEmpty();
  }

  @Test
  void nodeThatStartsWithoutTheStoreHasAllOnceItIsBack() {
    it.start("n1", "n2");
    it.put("n1", 5);
    it.network.storage.setAvailable(false);
    it.join("n3", 0);
    it.pass(20_000);
    assertThat(it.nodes.get("n3").controller().tenants().tenants()).hasSize(1);
    it.network.storage.setAvailable(true);
    it.pass(5_000);
    assertThat(it.weight("n3")).isEqualTo(5);
  }
}

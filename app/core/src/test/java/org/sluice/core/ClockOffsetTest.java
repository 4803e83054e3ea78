// SPDX-License-Identifier: Apache-2.0
package org.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.ClusteredNetwork.MILLI;
import static org.sluice.core.ClusteredNetwork.keyIds;
import static org.sluice.core.ClusteredNetwork.terms;
import static org.sluice.core.testing.Samples.datapath;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.DownlinkMessage.Kind;
import org.sluice.core.setting.Topics;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.testing.MemoryCluster;
import org.sluice.core.testing.MemoryNode;

/**
 * The clock on one node's wall is an hour off. Node n1 leads and is the master of both switches, n2
 * is started after it.
 */
class ClockOffsetTest {
  private static final long HOUR_MILLIS = TimeUnit.HOURS.toMillis(1);

  /** The store takes so long one way. */
  private static final long DELAY_MILLIS = 2;

  /**
   * Two nodes took the time over, each with an error of a question and its answer, two ways each.
   */
  private static final long ERROR_NANOS = 2 * 4 * DELAY_MILLIS * MILLI;

  private final ClusteredNetwork it = new ClusteredNetwork();

  private void start(int firstHoursAhead, int secondHoursAhead) {
    it.cluster.setDelayMillis(DELAY_MILLIS);
    it.setMaster("n1");
    it.join("n1", firstHoursAhead * HOUR_MILLIS);
    it.pass(1_000);
    it.join("n2", secondHoursAhead * HOUR_MILLIS);
    it.pass(1_000);
    it.put("n1", 1);
    it.pass(1_000);
  }

  private FlowStatus promised(String node, int sourcePort) throws Exception {
    FlowStatus flow = it.register(node, sourcePort, 180_000_000, 60_000).flow().orElseThrow();
    assertThat(flow.promised()).isTrue();
    it.pass(1_000);
    return flow;
  }

  /** 180 MB in 60 s are 24 Mbit/s; of 50 no more than 47.5 are promised. */
  @ParameterizedTest
  @CsvSource(value = {"1,0,n1,n2", "-1,0,n1,n2", "0,1,n1,n2", "0,-1,n1,n2"})
  void noMoreIsPromisedThanThereIs(int first, int second, String one, String other)
      throws Exception {
    start(first, second);
    promised(one, 1);
    assertThat(it.register(other, 2, 180_000_000, 60_000).flow()).isEmpty();
    assertThat(it.register(one, 3, 180_000_000, 60_000).flow()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(value = {"1,0,n2,n1", "-1,0,n2,n1", "0,1,n2,n1", "0,-1,n2,n1"})
  void neitherIsIfTheOtherNodePromised(int first, int second, String one, String other)
      throws Exception {
    noMoreIsPromisedThanThereIs(first, second, one, other);
  }

  /** The leader tidies the store from time to time: what is over for a minute goes. */
  @ParameterizedTest
  @CsvSource({"1,0", "-1,0", "0,1", "0,-1"})
  void promisesLastUntilTheyAreDueAndNoLonger(int first, int second) throws Exception {
    start(first, second);
    FlowStatus ofFirst = it.register("n1", 1, 1_000, 130_000).flow().orElseThrow();
    FlowStatus ofSecond = it.register("n2", 2, 1_000, 130_000).flow().orElseThrow();
    it.pass(125_000);
    for (String node : it.nodes.keySet()) {
      assertThat(it.flows(node)).containsOnlyKeys(ofFirst.id(), ofSecond.id());
      for (FlowStatus flow : it.flows(node).values()) {
        assertThat(flow.dueInNanos()).isBetween(4_900 * MILLI, 5_000 * MILLI);
      }
    }
    it.pass(5_200);
    for (String node : it.nodes.keySet()) {
      assertThat(it.flows(node)).isEmpty();
    }
  }

  @Test
  void nothingIsLeftInTheStoreWhenAllWithdraw() {
    start(0, 1);
    ReplicatedMap times = it.network.storage.map("sluice-clock");
    assertThat(times.entries()).containsKey("n2");
    it.nodes.values().forEach(node -> node.settings.withdraw());
    it.pass(20_000);
    assertThat(times.entries()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1,0", "-1,0", "0,1", "0,-1"})
  void nextNodeGoesOnInHigherTermsAndWithTheSameKeys(int first, int second) throws Exception {
    start(first, second);
    FlowStatus flow = promised("n1", 1);
    it.marked(10);
    MemoryNode n1 = it.nodes.get("n1");
    MemoryNode n2 = it.nodes.get("n2");
    long share = terms(n1, Kind.UNIT_SHARES).get(0);
    it.die("n1");
    it.pass(MemoryCluster.SESSION_MILLIS + 1_000);
    it.marked(10);
    assertThat(it.network.leaderOf(Topics.CLUSTER)).contains("n2");
    assertThat(it.cluster.holderOf(datapath("s1"))).contains("n2");
    assertThat(it.stale).isEmpty();
    assertThat(terms(n2, Kind.UNIT_SHARES).get(0)).isGreaterThan(share);
    assertThat(keyIds(n2)).isEqualTo(keyIds(n1));
    assertThat(it.flows("n2").get(flow.id()).promised()).isTrue();
    assertThat(it.register("n2", 2, 180_000_000, 50_000).flow()).isEmpty();

    // One that starts now takes over how much time is left, whatever its clock says.
    it.join("n3", first * HOUR_MILLIS);
    it.pass(1_000);
    long left = it.flows("n2").get(flow.id()).dueInNanos();
    assertThat(it.flows("n3").get(flow.id()).dueInNanos())
        .isBetween(left - ERROR_NANOS, left + ERROR_NANOS);
  }
}

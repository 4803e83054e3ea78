// SPDX-License-Identifier: Apache-2.0
package org.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.ClusteredNetwork.lastShare;
import static org.sluice.core.testing.Samples.datapath;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.sluice.api.Expectation;
import org.sluice.api.SluiceException;
import org.sluice.api.cluster.NodeStatus;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.DownlinkMessage.Kind;
import org.sluice.core.setting.Topics;
import org.sluice.core.testing.MemoryCluster;
import org.sluice.core.testing.MemoryNode;

/**
 * Three nodes under random faults, one after the other in virtual time: nodes die and start again,
 * are cut off and are back, their clocks are set, and the store stops, while tenants and promises
 * change on any of them. {@code lab/sim/run cluster-faults --seeds N} runs more schedules.
 */
class ClusterFaultsTest {
  private static final String SEEDS = "sluice.cluster-faults.seeds";
  private static final long SEEDS_OF_THE_BUILD = 4;
  private static final List<String> NAMES = List.of("n1", "n2", "n3");
  private static final int STEPS = 25;
  private static final long HOUR_MILLIS = TimeUnit.HOURS.toMillis(1);

  /** 360 MB in an hour are 0.8 Mbit/s. */
  private static final long FLOW_BYTES = 360_000_000;

  private static final long DUE_MILLIS = HOUR_MILLIS;

  static LongStream seeds() {
    return LongStream.rangeClosed(1, Long.getLong(SEEDS, SEEDS_OF_THE_BUILD));
  }

  /** A cluster under faults, and what it has acknowledged. */
  private static final class Schedule {
    final Random random;
    final ClusteredNetwork it =
        new ClusteredNetwork("controlPeriodMillis", 50).start("n1", "n2", "n3");
    final List<String> steps = new ArrayList<>();
    final Set<String> dead = new HashSet<>();
    final Set<String> cut = new HashSet<>();
    final Map<String, Long> clocks = new TreeMap<>();
    final Set<Long> promises = new HashSet<>();
    boolean isStoreStopped;
    double weight = 1;
    int nextPort = 1;

    Schedule(long seed) {
      random = new Random(seed);
      it.cluster.setDelayMillis(random.nextInt(20));
      if (random.nextBoolean()) {
        it.cluster.keepLeadersThatAreCutOff();
      }
    }

    private String any() {
      return NAMES.get(random.nextInt(NAMES.size()));
    }

    private boolean isReachable(String node) {
      return !dead.contains(node) && !cut.contains(node) && !isStoreStopped;
    }

    /** A store of three needs two: less than that is a store that has stopped. */
    private boolean isMajorityWithout(String node) {
      return NAMES.stream().filter(each -> !each.equals(node)).noneMatch(each -> isAway(each));
    }

    private boolean isAway(String node) {
      return dead.contains(node) || cut.contains(node);
    }

    void step() throws SluiceException {
      String node = any();
      switch (random.nextInt(8)) {
        case 0:
          killOrStart(node);
          break;
        case 1:
        case 2:
          cutOrHeal(node);
          break;
        case 3:
          note("store", isStoreStopped ? "starts" : "stops");
          isStoreStopped = !isStoreStopped;
          it.network.storage.setAvailable(!isStoreStopped);
          break;
        case 4:
          setClock(node);
          break;
        case 5:
          changeTenant(node);
          break;
        default:
          tryToPromiseOrRevoke(node);
      }
      it.pass(List.of(10L, 1_000L, 4_000L, 9_000L).get(random.nextInt(4)));
    }

    private void note(String what, String does) {
      steps.add(what + " " + does);
    }

    private void killOrStart(String node) {
      if (dead.remove(node)) {
        note(node, "starts");
        start(node);
      } else if (isMajorityWithout(node)) {
        note(node, "dies");
        cut.remove(node);
        it.die(node);
        dead.add(node);
        it.pass(MemoryCluster.SESSION_MILLIS + 1_000);
      }
    }

    private void start(String node) {
      it.join(node, clocks.getOrDefault(node, 0L));
    }

    private void cutOrHeal(String node) {
      if (dead.contains(node)) {
        return;
      }
      if (cut.remove(node)) {
        note(node, "is back");
        it.cluster.heal(node);
      } else if (isMajorityWithout(node)) {
        note(node, "is cut off");
        cut.add(node);
        it.cluster.cut(node);
      }
    }

    /** One clock at a time is off. */
    private void setClock(String node) {
      clocks.forEach((other, ahead) -> set(other, 0));
      clocks.clear();
      long ahead = (random.nextInt(3) - 1) * HOUR_MILLIS;
      note(node, "has its clock " + ahead + " ms ahead");
      clocks.put(node, ahead);
      set(node, ahead);
    }

    private void set(String node, long aheadMillis) {
      MemoryNode running = it.nodes.get(node);
      if (running != null) {
        running.setClockAheadMillis(aheadMillis);
      }
    }

    private void changeTenant(String node) throws SluiceException {
      if (isReachable(node)) {
        note(node, "changes the tenant");
        it.tryToPut(node, weight + 1);
        weight++;
      }
    }

    /** One that has just started refuses until it knows the cluster's time. */
    private void tryToPromiseOrRevoke(String node) throws SluiceException {
      try {
        promiseOrRevoke(node);
      } catch (SluiceException e) {
        if (e.kind() != SluiceException.Kind.UNAVAILABLE) {
          throw e;
        }
        note(node, "refuses");
      }
    }

    private void promiseOrRevoke(String node) throws SluiceException {
      if (!isReachable(node)) {
        return;
      }
      Set<Long> known = new HashSet<>(it.flows(node).keySet());
      known.retainAll(promises);
      if (known.size() > 5 && random.nextBoolean()) {
        long id = known.iterator().next();
        note(node, "revokes promise " + id);
        it.nodes.get(node).controller().flows().remove(id, Expectation.none());
        promises.remove(id);
      } else {
        it.register(node, nextPort++, FLOW_BYTES, DUE_MILLIS)
            .flow()
            .ifPresent(
                flow -> {
                  assertThat(promises.add(flow.id())).as("its number is new").isTrue();
                  note(node, "promises " + flow.id());
                });
      }
    }

    /** What holds at every time, of those who reach the cluster now. */
    void holds() throws SluiceException {
      assertThat(it.stale).as("what two leaders decided in one term, or a former one").isEmpty();
      for (String node : NAMES) {
        if (isReachable(node)) {
          for (FlowStatus flow : it.flows(node).values()) {
            assertThat(flow.promised()).as("flow %s at %s", flow.id(), node).isTrue();
          }
        }
      }
    }

    void recover() {
      it.network.storage.setAvailable(true);
      isStoreStopped = false;
      cut.forEach(it.cluster::heal);
      cut.clear();
      dead.forEach(this::start);
      dead.clear();
      clocks.keySet().forEach(node -> set(node, 0));
      for (String name : List.of("s1", "s2")) {
        // When nobody was left to be its master: it connects to one again.
        if (it.cluster.holderOf(datapath(name)).isEmpty()) {
          it.network.setMaster(name, any());
        }
      }
      it.pass(60_000);
    }

    void isWhole() throws SluiceException {
      holds();
      String leader = it.network.leaderOf(Topics.CLUSTER).orElseThrow();
      for (String node : NAMES) {
        assertThat(it.weight(node)).as("tenant at %s", node).isEqualTo(weight);
        assertThat(it.flows(node).keySet()).as("promises at %s", node).isEqualTo(promises);
        assertThat(it.nodes.get(node).controller().cluster().status().nodes())
            .as("nodes at %s", node)
            .allMatch(each -> each.state() == NodeStatus.State.RUNNING)
            .allMatch(each -> each.leads() == each.name().equals(leader));
      }
      assertThat(it.senderOf(Kind.PROFILES)).isEqualTo(leader);
      it.marked(20);
      String master = it.cluster.holderOf(datapath("s1")).get();
      assertThat(lastShare(it.nodes.get(master))).as("share in force").isPositive();
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void nothingIsLostOrDoubledWhateverFails(long seed) throws Exception {
    Schedule schedule = new Schedule(seed);
    try {
      for (int i = 0; i < STEPS; i++) {
        schedule.step();
        schedule.holds();
      }
      schedule.recover();
      schedule.isWhole();
    } catch (AssertionError | RuntimeException | SluiceException e) {
      throw new AssertionError("seed " + seed + ", after " + schedule.steps, e);
    }
  }
}

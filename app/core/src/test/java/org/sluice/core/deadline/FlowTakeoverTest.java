// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sluice.core.deadline.DeadlineNetwork.BOTTLENECK;
import static org.sluice.core.deadline.DeadlineNetwork.MILLI;
import static org.sluice.core.deadline.DeadlineNetwork.flow;
import static org.sluice.core.deadline.DeadlineNetwork.forced;
import static org.sluice.core.deadline.DeadlineNetwork.request;
import static org.sluice.core.deadline.DeadlineNetwork.status;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.sluice.api.Expectation;
import org.sluice.api.JournalEntry;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.FlowUpdate;
import org.sluice.core.testing.MemoryNode;

/**
 * Deadlines on two nodes: what each learns of the other's decisions, and who goes on after whom.
 */
class FlowTakeoverTest {
  private final DeadlineNetwork deadlines = new DeadlineNetwork();
  private final MemoryNode second = deadlines.join("n2");
  private final FlowAdminService there = second.controller().flows();

  /** The first node dies; the second leads, and is the master of both switches. */
  private void takeOver() {
    deadlines.stop(deadlines.node);
    deadlines.network.setMaster("s1", "n2");
    deadlines.network.setMaster("s2", "n2");
    deadlines.settle();
    assertThat(deadlines.network.leaderOf("sluice-policy")).contains("n2");
  }

  @Test
  void registrationsHaveTheSameDeadlineOnBothNodes() throws Exception {
    FlowStatus made = deadlines.register(flow(1), 400_000, 2_000).flow().orElseThrow();
    deadlines.settle();
    long here = deadlines.status(made.id()).dueInNanos();
    FlowStatus copy = status(second, made.id());
    assertThat(copy.promised()).isTrue();
    assertThat(copy.deadline()).isEqualTo(made.deadline());
    assertThat(here - copy.dueInNanos()).isBetween(0L, MILLI);
  }

  @Test
  void admissionsSurviveTheLeader() throws Exception {
    FlowStatus made = deadlines.register(flow(1), 4_000_000, 1_000).flow().orElseThrow();
    takeOver();

    assertThat(there.flows()).extracting(FlowStatus::id).containsExactly(made.id());
    assertThat(status(second, made.id()).promised()).isTrue();
    assertThat(status(second, made.id()).state()).isEqualTo(FlowState.WAITING);
    // Its space is taken.
    assertThat(there.register(request(flow(2), 4_000_000, 1_000)).flow()).isEmpty();
    FlowStatus next = there.register(request(flow(2), 1_000, 60_000)).flow().orElseThrow();
    assertThat(next.id()).isEqualTo(made.id() + 1);
  }

  /** What is promised to one that begins later leaves the time before that to others. */
  @Test
  void beginOfAFlowIsAvailableOnTheNextLeader() throws Exception {
    DeadlineRequest late = request(flow(1), 5_000_000, 60_000).beginningIn(59_000 * MILLI);
    assertThat(deadlines.flows.register(late).flow()).isPresent();
    takeOver();
    DeadlineRequest other = request(flow(2), 5_000_000, 60_000);
    assertThat(there.register(other.beginningIn(59_000 * MILLI)).flow()).isEmpty();
    assertThat(there.register(other).flow()).isPresent();
  }

  @Test
  void nodeStartedAfterTheLeaderFailedLoadsTheStore() throws Exception {
    DeadlineRequest late = request(flow(1), 4_000_000, 60_000).beginningIn(30_000 * MILLI);
    FlowStatus made = deadlines.flows.register(late).flow().orElseThrow();
    deadlines.stop(second);
    deadlines.stop(deadlines.node);
    MemoryNode third = deadlines.join("n3");
    deadlines.time.advanceMillis(6_000); // Somebody might know the cluster's time.
    assertThat(status(third, made.id()).promised()).isTrue();
    assertThat(status(third, made.id()).deadline()).isEqualTo(made.deadline());
  }

  @Test
  void sendingFlowIsTrackedToItsEndByTheNextLeader() throws Exception {
    FlowStatus made = deadlines.begin(flow(40_000), 4_000_000, 5_000);
    deadlines.report(flow(40_000), FlowUpdate.State.ESTABLISHED, 1_000_000);
    deadlines.settle();
    takeOver();

    assertThat(status(second, made.id()).remainingBytes()).isEqualTo(3_000_000);
    deadlines.report(flow(40_000), FlowUpdate.State.ESTABLISHED, 4_000_000);
    deadlines.awaitState(second, made.id(), FlowState.MET);
    assertThat(DeadlineNetwork.journal(second, JournalEntry.Kind.DEADLINE_MISSED)).isEmpty();
  }

  @Test
  void windowsAreGrantedByTheMasterOfThePort() throws Exception {
    deadlines.begin(flow(40_000), 4_000_000, 60_000);
    deadlines.awaitGrant(flow(40_000));
    assertThat(windows(second)).isEmpty();

    deadlines.network.setMaster("s1", "n2");
    deadlines.queueUntil(BOTTLENECK, () -> !windows(second).isEmpty());
    assertThat(deadlines.isReleased(flow(40_000))).isTrue();
  }

  private static List<Long> windows(MemoryNode from) {
    return DeadlineNetwork.grantsOf(from, flow(40_000)).stream()
        .filter(grant -> !grant.isReleased())
        .map(grant -> grant.windowBytes())
        .collect(Collectors.toList());
  }

  /** The registration log has it, and it has no entry of its own. */
  @Test
  void pendingDecisionOfAFailedLeaderIsCompletedByTheNext() throws Exception {
    FlowStatus first = deadlines.register(flow(1), 1_000, 60_000).flow().orElseThrow();
    List<StoredFlow> logged = new ArrayList<>();
    List<StoredFlow> stored = new ArrayList<>();
    deadlines.network.storage.afterNextReplace(
        () -> {
          logged.addAll(deadlines.store().registrationLog().value().flows());
          stored.addAll(deadlines.storedFlows());
          takeOver();
        });
    CompletableFuture<FlowDecision> answer =
        deadlines.flows.registerLater(request(flow(2), 240_000_000, 60_000));
    deadlines.until(answer::isDone);
    assertThat(answer).isCompletedExceptionally();
    assertThat(logged).extracting(StoredFlow::key).containsExactly(flow(2));
    assertThat(stored).extracting(StoredFlow::id).containsExactly(first.id());

    assertThat(there.register(request(flow(3), 240_000_000, 60_000)).flow()).isEmpty();
    FlowStatus next = there.register(request(flow(4), 1_000, 60_000)).flow().orElseThrow();
    assertThat(next.id()).isEqualTo(first.id() + 2);
    assertThat(there.flows())
        .allMatch(FlowStatus::promised)
        .extracting(FlowStatus::flow)
        .containsExactly(flow(1), flow(2), flow(4));
    assertThat(deadlines.storedFlows()).hasSize(3);
  }

  @Test
  void concurrentAdmissionsOnTwoNodesDoNotExceedTheCapacity() {
    CompletableFuture<FlowDecision> here =
        deadlines.flows.registerLater(request(flow(1), 4_000_000, 1_000));
    CompletableFuture<FlowDecision> elsewhere =
        there.registerLater(request(flow(2), 4_000_000, 1_000));
    deadlines.until(() -> here.isDone() && elsewhere.isDone());

    List<FlowStatus> promised =
        Stream.of(here, elsewhere)
            .flatMap(each -> each.join().flow().stream())
            .collect(Collectors.toList());
    assertThat(promised).hasSize(1);
    assertThat(deadlines.storedFlows())
        .extracting(StoredFlow::id)
        .containsExactly(promised.get(0).id());
  }

  @Test
  void concurrentRegistrationsOfTheSameFlowSucceedOnOneNode() throws Exception {
    CompletableFuture<FlowDecision> here =
        deadlines.flows.registerLater(request(flow(1), 1_000, 60_000));
    CompletableFuture<FlowDecision> elsewhere =
        there.registerLater(request(flow(1), 1_000, 60_000));
    deadlines.until(() -> here.isDone() && elsewhere.isDone());
    assertThat(here.isCompletedExceptionally()).isNotEqualTo(elsewhere.isCompletedExceptionally());
    assertThat(deadlines.storedFlows()).hasSize(1);
    assertThat(there.flows()).hasSize(1);
    assertThat(deadlines.flows.flows()).hasSize(1);
  }

  /** Whoever decides first, and however long the cluster takes: an answer is what is stored. */
  @Test
  void nodesThatDecideAtOnceDenyNothingThatTheyRegister() {
    Random random = new Random(19);
    for (int round = 0; round < 60; round++) {
      deadlines.network.cluster.setDelayMillis((long) random.nextInt(4) * random.nextInt(8));
      int number = 10 + 2 * round;
      CompletableFuture<FlowDecision> here =
          deadlines.flows.registerLater(request(flow(number), 1_000, 600_000));
      deadlines.time.advanceMillis(random.nextInt(30));
      CompletableFuture<FlowDecision> elsewhere =
          there.registerLater(request(flow(number + 1), 1_000, 600_000));
      deadlines.until(() -> here.isDone() && elsewhere.isDone());

      assertThat(here.isCompletedExceptionally()).as("round " + round).isFalse();
      assertThat(elsewhere.isCompletedExceptionally()).as("round " + round).isFalse();
      long one = here.join().flow().orElseThrow().id();
      long other = elsewhere.join().flow().orElseThrow().id();
      deadlines.until(() -> stored(one, flow(number)) && stored(other, flow(number + 1)));
    }
    deadlines.network.cluster.setDelayMillis(0);
    assertThat(deadlines.storedFlows()).hasSize(120);
  }

  private boolean stored(long id, FlowKey key) {
    return deadlines.storedFlows().stream()
        .anyMatch(flow -> flow.id() == id && flow.key().equals(key));
  }

  @Test
  void changesAndRemovalsAreReplicated() throws Exception {
    FlowStatus made = deadlines.register(flow(1), 400_000, 2_000).flow().orElseThrow();
    there.change(made.id(), OptionalLong.of(100_000), OptionalLong.of(30_000 * MILLI), false);
    deadlines.settle();
    assertThat(deadlines.status(made.id()).sizeBytes()).isEqualTo(100_000);
    assertThat(deadlines.status(made.id()).dueInNanos()).isBetween(29_950 * MILLI, 30_000 * MILLI);

    there.remove(made.id());
    deadlines.settle();
    assertThat(deadlines.status(made.id()).state()).isEqualTo(FlowState.REMOVED);
  }

  /** What another node has changed meanwhile is not what was seen. */
  @Test
  void changeWithStaleExpectationFails() throws Exception {
    FlowStatus made = deadlines.register(flow(1), 400_000, 60_000).flow().orElseThrow();
    deadlines.settle();
    Expectation<FlowStatus> asMade =
        present -> {
          if (present.isEmpty() || present.get().sizeBytes() != 400_000) {
            throw new SluiceException(SluiceException.Kind.STALE, "", "", "It is another", "Look");
          }
        };
    OptionalLong same = OptionalLong.empty();
    deadlines.flows.change(made.id(), OptionalLong.of(300_000), same, false, asMade);
    deadlines.settle();

    assertStale(() -> there.change(made.id(), OptionalLong.of(5), same, false, asMade));
    assertStale(() -> there.remove(made.id(), asMade));
    FlowAdminService olga = there.by("olga");
    assertStale(() -> olga.change(made.id(), OptionalLong.of(5), same, false, asMade));
    assertStale(() -> olga.remove(made.id(), asMade));

    assertThat(deadlines.status(made.id()).sizeBytes()).isEqualTo(300_000);
    assertThat(deadlines.storedFlows()).extracting(StoredFlow::sizeBytes).containsExactly(300_000L);
    there.remove(made.id());
    assertThat(deadlines.storedFlows()).isEmpty();
  }

  private static void assertStale(ThrowingCallable change) {
    assertThatThrownBy(change)
        .isInstanceOfSatisfying(
            SluiceException.class,
            refusal -> assertThat(refusal.kind()).isEqualTo(SluiceException.Kind.STALE));
  }

  @Test
  void nextLeaderRevokesInfeasibleAdmissions() throws Exception {
    deadlines.openDetour();
    FlowStatus large = deadlines.register(flow(1), 4_000_000, 2_500).flow().orElseThrow();
    takeOver();
    deadlines.cutBottleneck();
    deadlines.until(() -> status(second, large.id()).promiseLost());
    assertThat(DeadlineNetwork.journal(second, JournalEntry.Kind.PROMISE_LOST)).hasSize(1);
  }

  @Test
  void followerReadsRevokedAdmissionsFromTheStore() throws Exception {
    deadlines.openDetour();
    FlowStatus large = deadlines.register(flow(1), 4_000_000, 2_500).flow().orElseThrow();
    deadlines.cutBottleneck();
    deadlines.until(() -> deadlines.status(large.id()).promiseLost());
    deadlines.settle();
    assertThat(status(second, large.id()).promiseLost()).isTrue();
    assertThat(DeadlineNetwork.journal(second, JournalEntry.Kind.PROMISE_LOST)).isEmpty();
  }

  /** The leader, or the one that comes after it, in which case it takes a minute longer. */
  @Test
  void entriesOfEndedFlowsAreRemoved() throws Exception {
    FlowStatus first = deadlines.flows.register(forced(flow(1), 1_000, 200)).flow().orElseThrow();
    deadlines.awaitState(first.id(), FlowState.NEVER_SENT);
    assertThat(deadlines.storedFlows()).hasSize(1);
    deadlines.time.advanceMillis(7_000);
    assertThat(deadlines.storedFlows()).isEmpty();

    FlowStatus next = deadlines.flows.register(forced(flow(2), 1_000, 200)).flow().orElseThrow();
    deadlines.awaitState(next.id(), FlowState.NEVER_SENT);
    deadlines.time.advanceMillis(1_000);
    takeOver();
    deadlines.time.advanceMillis(130_000);
    assertThat(deadlines.storedFlows()).isEmpty();
    assertThat(deadlines.store().registrationLog().value().nextId()).isEqualTo(next.id() + 1);
  }
}

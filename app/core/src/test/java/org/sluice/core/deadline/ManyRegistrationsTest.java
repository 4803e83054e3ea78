// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.deadline.DeadlineNetwork.MILLI;
import static org.sluice.core.deadline.DeadlineNetwork.RED;
import static org.sluice.core.deadline.DeadlineNetwork.flow;
import static org.sluice.core.deadline.DeadlineNetwork.request;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.FlowUpdate;
import org.sluice.core.deadline.FlowStore.VersionedLog;
import org.sluice.core.testing.MemoryNode;

/** 10,000 registrations at once, and a wall clock that steps between registration and deadline. */
class ManyRegistrationsTest {
  private static final int MANY = 10_000;
  private static final long DUE_MILLIS = 300_000;
  private static final long HOUR_MICROS = TimeUnit.HOURS.toMicros(1);

  private final DeadlineNetwork deadlines = new DeadlineNetwork();
  private final FlowAdminService flows = deadlines.flows;

  @BeforeEach
  void letOneHostHaveThem() {
    deadlines.node.set("deadlinesPerTenant", 2 * MANY, "deadlinesPerHost", 2 * MANY);
  }

  /** 1000 bytes each, all due in five minutes: all fit. */
  private void register(int first, int last) {
    List<DeadlineRequest> requests = new ArrayList<>();
    for (int i = first; i <= last; i++) {
      requests.add(request(flow(i), 1_000, DUE_MILLIS));
    }
    assertThat(deadlines.registerAll(requests)).allMatch(made -> made.flow().isPresent());
  }

  @Test
  void allAreDecidedStoredAndTrackedToTheirEnds() throws Exception {
    register(1, MANY);
    assertThat(flows.flows())
        .hasSize(MANY)
        .allMatch(flow -> flow.promised() && flow.state() == FlowState.WAITING);
    Set<Long> ids = new HashSet<>();
    assertThat(deadlines.storedFlows()).hasSize(MANY).allMatch(flow -> ids.add(flow.id()));
    FlowUpdate[] updates = new FlowUpdate[MANY];
    for (int i = 0; i < updates.length; i++) {
      updates[i] = FlowUpdate.of(flow(i + 1), FlowUpdate.State.CLOSED, 1_000, 400_000, false);
    }
    deadlines.report(false, updates);
    deadlines.settle();
    assertThat(flows.deadlines().counts().get(RED)).isEqualTo(Map.of(FlowState.MET, (long) MANY));
    // The entries go when every node has had the time to see the ends for itself.
    deadlines.time.advanceMillis(10_000);
    assertThat(deadlines.storedFlows()).isEmpty();
  }

  /** Half of them before the step, half after it; then another node decides, and all is read. */
  @ParameterizedTest
  @ValueSource(longs = {3_600_000_000L, -3_600_000_000L})
  void wallClockStepDoesNotMoveAdmittedDeadlines(long step) throws Exception {
    long begin = deadlines.time.nanoTime();
    register(1, MANY / 2);
    deadlines.time.stepWallClock(step);
    register(MANY / 2 + 1, MANY);
    FlowStore elsewhere = deadlines.store();
    VersionedLog registrations = elsewhere.registrationLog();
    long id = registrations.value().nextId();
    assertThat(elsewhere.replace(registrations, registrations.value().next(id + 1, List.of())))
        .isTrue();
    register(MANY + 1, MANY + 1);
    List<FlowStatus> known = flows.flows();
    long spent = deadlines.time.nanoTime() - begin;
    assertThat(known)
        .hasSize(MANY + 1)
        .allMatch(flow -> flow.state() == FlowState.WAITING && flow.promised())
        .allMatch(flow -> flow.dueInNanos() <= DUE_MILLIS * MILLI)
        .allMatch(flow -> flow.dueInNanos() >= DUE_MILLIS * MILLI - spent);
    assertThat(deadlines.storedFlows()).hasSize(MANY + 1);
  }

  /** As a node that starts after the step, or another one of the cluster, whose clock is so. */
  @Test
  void storedDeadlineIsConvertedByTheReadersClock() throws Exception {
    long due = deadlines.time.wallMicros() + TimeUnit.MILLISECONDS.toMicros(DUE_MILLIS);
    StoredFlow passed = StoredFlow.of(1, flow(1), RED, 1_000, due, 0, true);
    StoredFlow later = StoredFlow.of(2, flow(2), RED, 1_000, due, 0, true);
    FlowStore elsewhere = deadlines.store();
    VersionedLog registrations = elsewhere.registrationLog();
    elsewhere.replace(registrations, registrations.value().next(3, List.of()));
    long begin = deadlines.time.nanoTime();
    deadlines.time.stepWallClock(HOUR_MICROS);
    elsewhere.write(List.of(passed));
    deadlines.settle();
    deadlines.time.stepWallClock(-2 * HOUR_MICROS);
    elsewhere.write(List.of(later));
    deadlines.settle();
    assertThat(flows.flows()).extracting(FlowStatus::id).containsExactly(2L);
    long hourAndDue = HOUR_MICROS * 1000 + DUE_MILLIS * MILLI;
    assertThat(deadlines.status(2).dueInNanos())
        .isEqualTo(hourAndDue - (deadlines.time.nanoTime() - begin));
    // The clock is set right again, and the store has it once more.
    deadlines.time.stepWallClock(HOUR_MICROS);
    elsewhere.write(List.of(later));
    deadlines.settle();
    deadlines.register(flow(3), 1_000, 60_000);
    assertThat(deadlines.status(2).dueInNanos())
        .isEqualTo(hourAndDue - (deadlines.time.nanoTime() - begin));
  }

  @Test
  void nodeStartedAfterAClockCorrectionAgreesOnTheTimeLeft() throws Exception {
    FlowStatus made = deadlines.register(flow(1), 1_000, DUE_MILLIS).flow().orElseThrow();
    deadlines.time.stepWallClock(-TimeUnit.MINUTES.toMicros(1));
    MemoryNode second = deadlines.join("n2");
    long here = deadlines.status(made.id()).dueInNanos();
    long there = DeadlineNetwork.status(second, made.id()).dueInNanos();
    // The second question is answered a little after the first.
    assertThat(there - here).isBetween(-MILLI, 0L);
  }
}

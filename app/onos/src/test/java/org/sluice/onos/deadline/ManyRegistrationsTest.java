// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.onos.deadline.DeadlineWorld.MILLI;
import static org.sluice.onos.deadline.DeadlineWorld.flow;
import static org.sluice.onos.deadline.DeadlineWorld.report;
import static org.sluice.onos.testing.Waiting.until;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.onosproject.store.service.Versioned;
import org.sluice.api.SluiceException;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.deadline.FlowWish;
import org.sluice.api.link.FlowNews;

/**
 * 10,000 registrations at once, through ONOS's map for tests, and a time of day that steps between
 * registration and deadline.
 */
@Timeout(120)
class ManyRegistrationsTest {
  private static final int MANY = 10_000;
  private static final long DUE_MILLIS = 300_000;
  private static final long HOUR_MICROS = TimeUnit.HOURS.toMicros(1);

  private final AtomicLong stepMicros = new AtomicLong();
  private final DeadlineWorld world = new DeadlineWorld();
  private final FlowManager flows = world.flows;

  @BeforeEach
  void setClock() {
    flows.setClock(() -> WallClock.SYSTEM.micros() + stepMicros.get());
  }

  @AfterEach
  void close() {
    world.close();
  }

  /** 1000 bytes each, all due in five minutes: all fit. */
  private void register(int first, int last) throws Exception {
    List<CompletableFuture<FlowDecision>> asked = new ArrayList<>();
    for (int i = first; i <= last; i++) {
      asked.add(flows.registerLater(FlowWish.of(flow(i), 1_000, DUE_MILLIS * MILLI, false)));
    }
    for (CompletableFuture<FlowDecision> each : asked) {
      assertThat(each.get(60, TimeUnit.SECONDS).flow()).isPresent();
    }
  }

  private Map<FlowState, Long> counts() {
    try {
      return flows.deadlines().counts().get(TenantId.of("red"));
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void allAreDecidedStoredAndFollowedToTheirEnds() throws Exception {
    register(1, MANY);
    assertThat(flows.flows())
        .hasSize(MANY)
        .allMatch(flow -> flow.promised() && flow.state() == FlowState.WAITING);
    Set<Long> ids = new HashSet<>();
    assertThat(world.storedFlows()).hasSize(MANY).allMatch(flow -> ids.add(flow.id()));
    FlowNews[] news = new FlowNews[MANY];
    for (int i = 0; i < news.length; i++) {
      news[i] = FlowNews.of(flow(i + 1), FlowNews.State.CLOSED, 1_000, 400_000, false);
    }
    flows.hosts().flowsReported(report(false, news));
    until(() -> assertThat(counts()).isEqualTo(Map.of(FlowState.MET, (long) MANY)));
  }

  /** Half of them before the step, half after it; then another node decides, and all is read. */
  @ParameterizedTest
  @ValueSource(longs = {3_600_000_000L, -3_600_000_000L})
  void noStepOfTheTimeOfDayMovesADeadlineThatWasAdmittedHere(long step) throws Exception {
    long begin = System.nanoTime();
    register(1, MANY / 2);
    stepMicros.set(step);
    register(MANY / 2 + 1, MANY);
    FlowStore elsewhere = new FlowStore(world.world.storage, new DeadlineWorld.NobodyListens());
    Versioned<Ledger> ledger = elsewhere.ledger();
    long id = ledger.value().nextId();
    assertThat(elsewhere.replace(ledger, ledger.value().next(id + 1, List.of()))).isTrue();
    register(MANY + 1, MANY + 1);
    List<FlowStatus> known = flows.flows();
    long spent = System.nanoTime() - begin;
    assertThat(known)
        .hasSize(MANY + 1)
        .allMatch(flow -> flow.state() == FlowState.WAITING && flow.promised())
        .allMatch(flow -> flow.dueInNanos() <= DUE_MILLIS * MILLI)
        .allMatch(flow -> flow.dueInNanos() >= DUE_MILLIS * MILLI - spent);
    assertThat(world.storedFlows()).hasSize(MANY + 1);
  }

  /** As a node that starts after the step, or another one of the cluster, whose clock is so. */
  @Test
  void whoeverLearnsOfItFromTheStoreTakesTheTimeThatIsLeftByItsOwnClock() throws Exception {
    long due = WallClock.SYSTEM.micros() + TimeUnit.MILLISECONDS.toMicros(DUE_MILLIS);
    StoredFlow passed = StoredFlow.of(1, flow(1), TenantId.of("red"), 1_000, due, true);
    StoredFlow later = StoredFlow.of(2, flow(2), TenantId.of("red"), 1_000, due, true);
    flows.keeper().tell(passed, WallClock.SYSTEM.micros() + HOUR_MICROS);
    flows.keeper().tell(later, WallClock.SYSTEM.micros() - HOUR_MICROS);
    assertThat(flows.flows()).extracting(FlowStatus::id).containsExactly(2L);
    long hourAndDue = HOUR_MICROS * 1000 + DUE_MILLIS * MILLI;
    assertThat(world.status(2).dueInNanos()).isBetween(hourAndDue - 60_000 * MILLI, hourAndDue);
    // The clock is set right again, and the store tells it once more.
    flows.keeper().tell(later, WallClock.SYSTEM.micros());
    world.register(flow(3), 1_000, 60_000);
    assertThat(world.status(2).dueInNanos()).isGreaterThan(hourAndDue - 60_000 * MILLI);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.onos.deadline.DeadlineWorld.BOTTLENECK;
import static org.sluice.onos.deadline.DeadlineWorld.DETOUR;
import static org.sluice.onos.deadline.DeadlineWorld.flow;
import static org.sluice.onos.testing.Waiting.until;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.sluice.api.HostId;
import org.sluice.api.JournalEntry;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.DeadlineSummary;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.WindowGrant;

/** What becomes of deadlines when ways change under them, over ONOS's real managers. */
@Timeout(120)
class FlowWaysTest {
  private final DeadlineWorld world = new DeadlineWorld();

  @BeforeEach
  void open() {
    world.openDetour();
  }

  @AfterEach
  void close() {
    world.close();
  }

  private List<DeadlineSummary.CongestedPort> congested() {
    try {
      return world.flows.deadlines().congestedPorts();
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
  }

  private List<String> lostPromises() {
    return world.node.journal.entries(-1, Optional.empty(), 1000).stream()
        .filter(entry -> entry.kind() == JournalEntry.Kind.PROMISE_LOST)
        .map(entry -> entry.decision() + "; " + entry.evidence())
        .collect(Collectors.toList());
  }

  @Test
  void windowsFollowTheFlowToThePortsOfItsNewWay() throws Exception {
    FlowStatus made = world.begin(flow(40_000), 4_000_000, 60_000);
    world.cutBottleneck();
    until(
        () -> {
          world.queue(DETOUR, 15_000);
          assertThat(congested())
              .extracting(DeadlineSummary.CongestedPort::port)
              .containsExactly(DETOUR);
          assertThat(world.lastGrantOf(flow(40_000)).isReleased()).isFalse();
        });
    assertThat(world.status(made.id()).promised()).isTrue();
    assertThat(world.register(flow(1), 4_000_000, 2_000).flow()).isEmpty(); // 3.5 s at 10 Mbit/s.
  }

  @Test
  void aPromiseThatTheNewWayCannotKeepIsLostAndTold() throws Exception {
    FlowStatus large = world.register(flow(40_000), 4_000_000, 2_500).flow().orElseThrow();
    FlowStatus small = world.register(flow(40_001), 100_000, 60_000).flow().orElseThrow();
    world.cutBottleneck();
    until(() -> assertThat(world.status(large.id()).promiseLost()).isTrue());
    assertThat(world.status(large.id()).promised()).isFalse();
    assertThat(world.status(large.id()).state()).isEqualTo(FlowState.WAITING);
    assertThat(world.status(small.id()).promised()).isTrue();
    assertThat(lostPromises())
        .singleElement()
        .asString()
        .contains("flow " + large.id() + ", 10.0.0.1:40000 -> 10.0.0.5:5001 of 4000000 bytes")
        .contains("its promise can no longer be kept")
        .contains(DETOUR.toString())
        .doesNotContain(BOTTLENECK.toString());
    until(
        () ->
            assertThat(world.storedFlows())
                .filteredOn(flow -> flow.id() == large.id())
                .allMatch(StoredFlow::promiseLost));
    // Its tenant asks for more time, and has a promise again.
    FlowStatus again =
        world
            .flows
            .change(large.id(), OptionalLong.empty(), OptionalLong.of(60_000_000_000L), false)
            .flow()
            .orElseThrow();
    assertThat(again.promised()).isTrue();
    assertThat(again.promiseLost()).isFalse();
  }

  @Test
  void onlyTheNodeThatLeadsTakesPromisesBack() throws Exception {
    world.lead("elsewhere");
    FlowStatus large = world.register(flow(40_000), 4_000_000, 2_500).flow().orElseThrow();
    world.cutBottleneck();
    world.awaitState(large.id(), FlowState.NEVER_SENT);
    assertThat(world.status(large.id()).promiseLost()).isFalse();
    assertThat(lostPromises()).isEmpty();
  }

  @Test
  void anEndpointThatMovesTakesItsFlowsAlong() throws Exception {
    FlowStatus made = world.begin(flow(40_000), 4_000_000, 60_000);
    world.awaitGrant(flow(40_000));
    HostId there = HostId.of("h6");
    world.moveFirstEndpoint(there);
    // Beside h5 no port with a queue is on its way.
    until(
        () ->
            assertThat(world.grants(there))
                .filteredOn(grant -> grant.flow().equals(flow(40_000)))
                .last()
                .matches(WindowGrant::isReleased));
    assertThat(world.status(made.id()).promised()).isTrue();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.deadline.DeadlineNetwork.BOTTLENECK;
import static org.sluice.core.deadline.DeadlineNetwork.DETOUR;
import static org.sluice.core.deadline.DeadlineNetwork.MILLI;
import static org.sluice.core.deadline.DeadlineNetwork.flow;

import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.JournalEntry;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.DeadlineSummary;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.WindowGrant;

/** What becomes of deadlines when paths and capacities change under them. */
class FlowPathsTest {
  private final DeadlineNetwork deadlines = new DeadlineNetwork();

  @BeforeEach
  void open() {
    deadlines.openDetour();
  }

  private List<PortId> congested() {
    try {
      return deadlines.flows.deadlines().congestedPorts().stream()
          .map(DeadlineSummary.CongestedPort::port)
          .collect(Collectors.toList());
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
  }

  private List<String> lostPromises() {
    return deadlines.journal(JournalEntry.Kind.PROMISE_LOST).stream()
        .map(entry -> entry.decision() + "; " + entry.evidence())
        .collect(Collectors.toList());
  }

  @Test
  void windowsFollowTheFlowToItsNewPath() throws Exception {
    FlowStatus made = deadlines.begin(flow(40_000), 4_000_000, 60_000);
    deadlines.cutBottleneck();
    deadlines.queueUntil(
        DETOUR, () -> congested().contains(DETOUR) && deadlines.hasWindow(flow(40_000)));
    assertThat(congested()).containsExactly(DETOUR);
    assertThat(deadlines.status(made.id()).promised()).isTrue();
    // 3.5 s at 10 Mbit/s.
    assertThat(deadlines.register(flow(1), 4_000_000, 2_000).flow()).isEmpty();
  }

  @Test
  void admissionInfeasibleOnTheNewPathIsRevokedAndRecorded() throws Exception {
    FlowStatus large = deadlines.register(flow(40_000), 4_000_000, 2_500).flow().orElseThrow();
    FlowStatus small = deadlines.register(flow(40_001), 100_000, 60_000).flow().orElseThrow();
    deadlines.cutBottleneck();
    deadlines.until(() -> deadlines.status(large.id()).promiseLost());
    assertThat(deadlines.status(large.id()).promised()).isFalse();
    assertThat(deadlines.status(large.id()).state()).isEqualTo(FlowState.WAITING);
    assertThat(deadlines.status(small.id()).promised()).isTrue();
    assertThat(lostPromises())
        .singleElement()
        .asString()
        .contains("flow " + large.id() + ", 10.0.0.1:40000 -> 10.0.0.5:5001 of 4000000 bytes")
        .contains("its promise can no longer be kept")
        .contains(DETOUR.toString())
        .doesNotContain(BOTTLENECK.toString());
    deadlines.settle();
    assertThat(deadlines.storedFlows())
        .filteredOn(flow -> flow.id() == large.id())
        .singleElement()
        .matches(StoredFlow::promiseLost);
    // Its tenant requests more time, and has a promise again.
    FlowStatus again =
        deadlines
            .flows
            .change(large.id(), OptionalLong.empty(), OptionalLong.of(60_000 * MILLI), false)
            .flow()
            .orElseThrow();
    assertThat(again.promised()).isTrue();
    assertThat(again.promiseLost()).isFalse();
  }

  @Test
  void admissionInfeasibleAtALowerCapacityIsRevoked() throws Exception {
    FlowStatus large = deadlines.register(flow(40_000), 4_000_000, 2_500).flow().orElseThrow();
    deadlines.network.setCapacity("s1/5", 10_000_000);
    deadlines.until(() -> deadlines.status(large.id()).promiseLost());
    assertThat(lostPromises()).singleElement().asString().contains(BOTTLENECK.toString());
  }

  @Test
  void brieflyUnknownPathRevokesNoAdmission() throws Exception {
    FlowStatus made = deadlines.register(flow(40_000), 4_000_000, 2_500).flow().orElseThrow();
    deadlines.network.gone("02:00:00:00:01:05");
    deadlines.time.advanceMillis(500);
    deadlines.network.seen("02:00:00:00:01:05", "s2/1", "10.0.0.5");
    deadlines.time.advanceMillis(500);
    assertThat(deadlines.status(made.id()).promised()).isTrue();
    assertThat(lostPromises()).isEmpty();
  }

  @Test
  void onlyTheLeaderRevokesAdmissions() throws Exception {
    deadlines.lead("elsewhere");
    FlowStatus large = deadlines.register(flow(40_000), 4_000_000, 2_500).flow().orElseThrow();
    deadlines.cutBottleneck();
    deadlines.awaitState(large.id(), FlowState.NEVER_SENT);
    assertThat(deadlines.status(large.id()).promiseLost()).isFalse();
    assertThat(lostPromises()).isEmpty();
  }

  @Test
  void flowsFollowAMovedEndpoint() throws Exception {
    FlowStatus made = deadlines.begin(flow(40_000), 4_000_000, 60_000);
    deadlines.awaitGrant(flow(40_000));
    HostId there = HostId.of("h6");
    deadlines.moveFirstEndpoint(there);
    deadlines.settle();
    // Beside h5 no port with a queue is on its path.
    assertThat(deadlines.grants(there))
        .filteredOn(grant -> grant.flow().equals(flow(40_000)))
        .last()
        .matches(WindowGrant::isReleased);
    assertThat(deadlines.status(made.id()).promised()).isTrue();
  }
}

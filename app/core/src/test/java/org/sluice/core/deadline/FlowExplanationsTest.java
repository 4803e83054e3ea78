// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.deadline.DeadlineNetwork.BOTTLENECK;
import static org.sluice.core.deadline.DeadlineNetwork.flow;
import static org.sluice.core.deadline.DeadlineNetwork.forced;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.SluiceException;
import org.sluice.api.access.Caller;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.FlowUpdate;
import org.sluice.api.why.FlowExplanation;
import org.sluice.api.why.FlowExplanation.Cause;
import org.sluice.api.why.FlowPort;

/** Why flows fare as they do, in a whole node whose port s1/5 carries 50 Mbit/s. */
class FlowExplanationsTest {
  private static final Caller ADMIN = Caller.of(Caller.ADMIN_ROLE::equals);

  private final DeadlineNetwork deadlines = new DeadlineNetwork();

  @BeforeEach
  void name() {
    deadlines.network.setName("s1/5", "leaf1:eth5");
  }

  private FlowExplanation why(long id) throws SluiceException {
    return why(id, ADMIN);
  }

  private FlowExplanation why(long id, Caller caller) throws SluiceException {
    return deadlines.node.controller().explanations().why(deadlines.status(id), caller);
  }

  private static FlowPort bottleneck(FlowExplanation why) {
    return why.ports().stream()
        .filter(place -> place.port().equals(Optional.of(BOTTLENECK)))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void admittedFlowIsExplainedByItsRateAndEarlierAdmissions() throws Exception {
    deadlines.register(flow(2), 300_000, 1_000);
    FlowStatus later = deadlines.register(flow(1), 400_000, 2_000).flow().orElseThrow();

    FlowExplanation why = why(later.id());

    assertThat(why.cause()).isEqualTo(Cause.ON_COURSE);
    assertThat(why.earliestNanos()).isEmpty();
    // 400,000 bytes in 2 s are 1.6 Mbit/s, with headers 1514/1448 of it.
    assertThat(why.neededBitsPerSecond()).isBetween(1_660_000L, 1_700_000L);
    FlowPort place = bottleneck(why);
    assertThat(place.portName()).contains("leaf1:eth5 -> switch 2");
    assertThat(place.capacityBitsPerSecond()).isBetween(49_999_000L, 50_001_000L);
    assertThat(place.promisableBitsPerSecond().orElseThrow()).isBetween(40_000_000L, 48_000_000L);
    assertThat(place.flowsBefore()).hasValue(1);
    assertThat(place.bytesBefore()).hasValue(300_000);
    assertThat(why.summary())
        .startsWith(
            "Flow "
                + later.id()
                + " of tenant red (10.0.0.1:1 -> 10.0.0.5:5001) is promised 400000")
        .endsWith("Z, and can be through in time.");
    assertThat(why.lines().get(0))
        .matches(
            "400000 bytes are left for [0-9.]+ ms, which takes 1\\.6[0-9] Mbit/s from now on; its"
                + " connection has not begun\\.");
    assertThat(why.lines())
        .anyMatch(
            line ->
                line.matches(
                    "Port leaf1:eth5 -> switch 2 \\(of:0000000000000001/5\\) carries 50 Mbit/s, of which"
                        + " 4[0-9.]+ Mbit/s can be promised; 1 promised flow there due before it"
                        + " has 300000 bytes left\\."));
    assertThat(why.journal()).hasSize(1);
    assertThat(why.journal().get(0).decision()).contains("flow " + later.id() + ",", "promised");
  }

  @Test
  void forcedFlowIsExplainedByTheEarliestFeasibleDeadline() throws Exception {
    FlowStatus made =
        deadlines.flows.register(forced(flow(1), 4_000_000, 300)).flow().orElseThrow();

    FlowExplanation why = why(made.id());

    assertThat(why.cause()).isEqualTo(Cause.NOT_PROMISED);
    assertThat(why.summary()).endsWith("which was not promised: it was registered by force.");
    long earliest = why.earliestNanos().orElseThrow();
    assertThat(earliest).as("4 MB through 50 Mbit/s").isGreaterThan(640_000_000L);
    assertThat(why.lines().get(why.lines().size() - 1))
        .endsWith("or later can be promised: withdraw it, and register it anew.");
    // What it says holds.
    assertThat(
            deadlines
                .flows
                .change(
                    made.id(),
                    OptionalLong.empty(),
                    OptionalLong.of(earliest + DeadlineNetwork.MILLI),
                    false)
                .admission()
                .isAccepted())
        .isTrue();
    assertThat(why(made.id()).cause()).isEqualTo(Cause.ON_COURSE);
  }

  @Test
  void admittedFlowThatBeginsTooLateIsLate() throws Exception {
    FlowStatus made = deadlines.register(flow(1), 400_000, 500).flow().orElseThrow();
    deadlines.time.advanceMillis(470);

    FlowExplanation why = why(made.id());

    assertThat(why.cause()).isEqualTo(Cause.LATE);
    assertThat(why.summary()).endsWith(", and will be late.");
    assertThat(why.lines()).anyMatch(line -> line.contains("its connection has not begun"));
  }

  @Test
  void endedFlowIsExplainedByItsOutcome() throws Exception {
    FlowStatus missed = deadlines.begin(flow(40_000), 400_000, 500);
    deadlines.report(flow(40_000), FlowUpdate.State.ESTABLISHED, 150_000);
    FlowStatus unsent = deadlines.register(flow(1), 1_000, 400).flow().orElseThrow();
    deadlines.awaitState(missed.id(), FlowState.MISSED);
    deadlines.awaitState(unsent.id(), FlowState.NEVER_SENT);

    FlowExplanation why = why(missed.id());
    assertThat(why.cause()).isEqualTo(Cause.ENDED);
    assertThat(why.ports()).isEmpty();
    assertThat(why.summary()).endsWith("which was promised: missed, with 250000 bytes left.");
    assertThat(why.lines().get(0))
        .startsWith(
            "At the end: 250000 bytes were left when it was evaluated; its connection began")
        .endsWith(" Mbit/s of payload from then on.");
    assertThat(why.journal()).hasSize(2);

    assertThat(why(unsent.id()).summary()).endsWith("and sent nothing by then.");
    assertThat(why(unsent.id()).lines())
        .anyMatch(line -> line.contains("No connection with these"));
  }

  @Test
  void revokedAdmissionIsExplainedByThePath() throws Exception {
    FlowStatus made = deadlines.begin(flow(1), 4_000_000, 2_000);
    deadlines.openDetour();
    deadlines.cutBottleneck();
    deadlines.until(() -> deadlines.status(made.id()).promiseLost());

    FlowExplanation why = why(made.id());

    assertThat(why.cause()).isEqualTo(Cause.PROMISE_LOST);
    assertThat(why.summary()).endsWith("or its path, or what that carries, became another.");
    assertThat(why.ports()).anyMatch(p -> p.port().equals(Optional.of(DeadlineNetwork.DETOUR)));
  }

  @Test
  void tenantUserDoesNotSeeWhatIsPromisedToOthers() throws Exception {
    FlowStatus later = deadlines.register(flow(1), 400_000, 2_000).flow().orElseThrow();
    List<String> roles = List.of(Caller.TENANT_ROLE, Caller.OWN_ROLE_PREFIX + "red");
    Caller red = Caller.of(roles::contains);
    FlowExplanation alone = why(later.id(), red);
    deadlines.register(flow(2), 300_000, 1_000);

    FlowExplanation why = why(later.id(), red);

    assertThat(why.ports()).isEqualTo(alone.ports());
    // All but the first, about the time that is left.
    assertThat(why.lines().subList(1, 4)).isEqualTo(alone.lines().subList(1, 4));
    FlowPort place = bottleneck(why);
    assertThat(place.promisableBitsPerSecond()).isEmpty();
    assertThat(place.flowsBefore()).isEmpty();
    assertThat(place.bytesBefore()).isEmpty();
    assertThat(place.totalWindowBytes()).isEmpty();
    assertThat(why.lines())
        .contains("Port leaf1:eth5 -> switch 2 (of:0000000000000001/5) carries 50 Mbit/s.");
  }

  @Test
  void tenantUserSeesItsOwnEntriesAlone() throws Exception {
    FlowStatus made = deadlines.register(flow(1), 400_000, 2_000).flow().orElseThrow();
    List<String> roles = List.of(Caller.TENANT_ROLE, Caller.OWN_ROLE_PREFIX + "red");
    assertThat(why(made.id(), Caller.of(roles::contains)).journal()).hasSize(1);
    assertThat(why(made.id(), Caller.of(role -> false)).journal()).isEmpty();
  }
}

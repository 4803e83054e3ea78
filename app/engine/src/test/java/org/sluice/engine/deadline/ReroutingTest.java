// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.engine.law.DeadlineParameters;

/**
 * Two ports of 100 and 10 MB/s of payload, K = 30 segments of 1000 bytes, round trips of 200 us.
 */
class ReroutingTest {
  private static final PortId WIDE = PortId.of("of:0000000000000001", 1);
  private static final PortId NARROW = PortId.of("of:0000000000000001", 2);
  private static final int SEGMENT = 1000;
  private static final long MILLI = 1_000_000;

  private final Map<FlowKey, Long> windows = new HashMap<>();
  private final Map<IpAddress, List<PortId>> paths = new HashMap<>();
  private final Deadlines deadlines =
      new Deadlines(
          grant -> windows.put(grant.flow(), grant.windowBytes()),
          DeadlineParameters.DEFAULTS.withSegmentBytes(SEGMENT).withLatencyNanos(0));
  private final Rerouting rerouting =
      new Rerouting(deadlines, flow -> Optional.ofNullable(paths.get(flow.source())));

  @BeforeEach
  void putPorts() {
    deadlines.putPort(WIDE, 100e6, 30 * SEGMENT, 200_000);
    deadlines.putPort(NARROW, 10e6, 30 * SEGMENT, 200_000);
  }

  private static FlowKey flow(int number) {
    return FlowKey.of(IpAddress.parse("10.0.0." + number), 1000, IpAddress.parse("10.0.1.1"), 80);
  }

  private long register(int number, long bytes, long dueMillis) {
    Registration made =
        deadlines.register(
            flow(number), bytes, dueMillis * MILLI, List.of(WIDE), 200_000, false, 0);
    assertThat(made.admission().isAccepted()).isTrue();
    paths.put(flow(number).source(), List.of(NARROW));
    return made.id().getAsLong();
  }

  /** The one that was promised before, evaluated beside what is now. */
  private Set<Long> lost() {
    rerouting.begin(0);
    AdmissionSnapshot before = rerouting.step(0).orElseThrow();
    Set<Long> lost = deadlines.snapshot(before.nowNanos()).broken();
    lost.removeAll(before.broken());
    return lost;
  }

  private Set<PortId> reservedPorts() {
    Set<PortId> found = new HashSet<>();
    deadlines.rates(0, (flow, port, rate) -> found.add(port));
    return found;
  }

  @Test
  void windowsAndRatesFollowTheNewPorts() {
    register(1, 1_000_000, 500);
    deadlines.opened(flow(1), List.of(WIDE), 200_000, 0);
    assertThat(reservedPorts()).containsExactly(WIDE);
    deadlines.queue(WIDE, 40 * SEGMENT, 0);
    assertThat(lost()).isEmpty();
    assertThat(reservedPorts()).containsExactly(NARROW);
    // The port that it left is free of it: ten round trips later nothing is handed out there.
    deadlines.queue(WIDE, 0, MILLI);
    deadlines.tick(10 * MILLI);
    assertThat(deadlines.isCongested(WIDE)).isFalse();
    deadlines.queue(NARROW, 40 * SEGMENT, 10 * MILLI);
    deadlines.tick(10 * MILLI);
    assertThat(deadlines.totalWindows()).containsOnlyKeys(NARROW);
    assertThat(windows.get(flow(1))).isBetween(2L * SEGMENT, 32L * SEGMENT);
    deadlines.progressed(flow(1), 5000, 200_000, 10 * MILLI);
    assertThat(deadlines.deliveredThrough(NARROW)).isEqualTo(5000);
    assertThat(deadlines.deliveredThrough(WIDE)).isZero();
  }

  @Test
  void admissionsInfeasibleOnTheNewPathAreRevokedInDeadlineOrder() {
    register(1, 2_000_000, 300); // 215 ms at the narrow port's promisable rate.
    long second = register(2, 2_000_000, 310); // Not beside the first.
    register(3, 300_000, 320);
    assertThat(lost()).containsExactly(second);
  }

  @Test
  void flowWithUnknownPathKeepsItsPorts() {
    register(1, 5_000_000, 300);
    deadlines.opened(flow(1), List.of(WIDE), 200_000, 0);
    paths.clear();
    assertThat(lost()).isEmpty();
    assertThat(reservedPorts()).containsExactly(WIDE);
  }

  @Test
  void flowThatWasLateBeforeTheChangeIsNotRevoked() {
    register(1, 5_000_000, 300);
    rerouting.begin(280 * MILLI); // Nothing has come yet.
    AdmissionSnapshot before = rerouting.step(280 * MILLI).orElseThrow();
    assertThat(before.broken()).hasSize(1);
    assertThat(deadlines.snapshot(before.nowNanos()).broken()).isEqualTo(before.broken());
  }

  @Test
  void pathLookupsAreSpreadOverStepsAndRestartAfterAChange() {
    for (int i = 1; i <= 1200; i++) {
      deadlines.opened(
          FlowKey.of(IpAddress.parse("10.0.0.1"), i, IpAddress.parse("10.0.1.1"), 80),
          List.of(WIDE),
          200_000,
          0);
    }
    paths.put(flow(1).source(), List.of(NARROW));
    rerouting.begin(0);
    assertThat(rerouting.step(0)).isEmpty();
    rerouting.begin(0);
    assertThat(rerouting.step(0)).isEmpty();
    assertThat(rerouting.step(0)).isPresent();
    assertThat(rerouting.step(0)).isEmpty();
    assertThat(rerouting.step(0)).isEmpty();
    assertThat(rerouting.step(0)).isPresent();
    assertThat(rerouting.step(0)).isEmpty();
  }
}

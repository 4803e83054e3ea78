// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowOutcome;
import org.sluice.engine.law.DeadlineParameters;

/** The outcome of a flow of 100 KB that is due after 10 ms, by when its bytes arrived. */
class OutcomesTest {
  private static final PortId PORT = PortId.of("of:0000000000000001", 1);
  private static final List<PortId> PATH = List.of(PORT);
  private static final FlowKey FLOW =
      FlowKey.of(IpAddress.parse("10.0.0.1"), 1000, IpAddress.parse("10.0.0.200"), 80);
  private static final long MILLI = 1_000_000;
  private static final long SIZE = 100_000;
  private static final long DUE = 10 * MILLI;
  private static final long LATENCY = 3 * MILLI;
  private static final long GIVEN_UP = DUE + LATENCY + OverdueFlows.REPORT_WAIT_NANOS;

  private final Map<FlowKey, Long> windows = new LinkedHashMap<>();
  private final Deadlines deadlines =
      new Deadlines(
          grant -> windows.put(grant.flow(), grant.windowBytes()),
          DeadlineParameters.DEFAULTS.withLatencyNanos(LATENCY));
  private final long id;

  OutcomesTest() {
    deadlines.putPort(PORT, 100e6, 30_000, 200_000);
    id = register(SIZE, DUE, 0);
    deadlines.opened(FLOW, PATH, 200_000, 0);
  }

  private long register(long sizeBytes, long deadlineNanos, long nowNanos) {
    OptionalLong made =
        deadlines.register(FLOW, sizeBytes, deadlineNanos, PATH, 200_000, true, nowNanos).id();
    return made.getAsLong();
  }

  private void arrives(long bytes, long arrivedNanos, long reportedNanos) {
    deadlines.progressed(FLOW, bytes, 0, arrivedNanos, reportedNanos);
  }

  private void expectNoOutcome() {
    assertThat(deadlines.ended().total()).isZero();
  }

  private void expectOnly(FlowOutcome outcome) {
    assertThat(deadlines.ended().latest(10))
        .singleElement()
        .satisfies(
            entry -> {
              assertThat(entry.outcome()).isEqualTo(outcome);
              assertThat(entry.flow().id()).isEqualTo(id);
              assertThat(entry.flow().deadlineNanos()).isEqualTo(DUE);
            });
    assertThat(deadlines.registration(id)).isEmpty();
    assertThat(deadlines.overdue(id)).isEmpty();
  }

  private long remainingBytesAtTheEnd() {
    return deadlines.ended().latest(1).get(0).flow().remainingBytes();
  }

  @Test
  void flowDeliveredInTimeIsMetEvenIfReportedLater() {
    arrives(SIZE, DUE, DUE + 8 * MILLI);
    expectOnly(FlowOutcome.MET);
  }

  @Test
  void flowDeliveredAfterItsDeadlineIsMissed() {
    arrives(SIZE, DUE + 1, DUE + 8 * MILLI);
    expectOnly(FlowOutcome.MISSED);
  }

  @Test
  void lastReportMayArriveAfterTheDeadline() {
    arrives(60_000, 4 * MILLI, 6 * MILLI);
    deadlines.tick(DUE);
    expectNoOutcome();
    assertThat(deadlines.registration(id)).isEmpty();
    assertThat(deadlines.overdue(id))
        .hasValueSatisfying(
            flow -> {
              assertThat(flow.remainingBytes()).isEqualTo(40_000);
              assertThat(flow.deadlineNanos()).isEqualTo(DUE);
            });
    arrives(SIZE, DUE, DUE + 8 * MILLI);
    expectOnly(FlowOutcome.MET);
    assertThat(remainingBytesAtTheEnd()).isZero();
  }

  @Test
  void lateReportsOfLateBytesMeanAMiss() {
    deadlines.tick(DUE);
    arrives(SIZE, DUE + 1, DUE + 8 * MILLI);
    expectOnly(FlowOutcome.MISSED);
    assertThat(remainingBytesAtTheEnd()).isEqualTo(SIZE);
  }

  @Test
  void laterDeliveryOfAnyBytesMeansAMiss() {
    deadlines.tick(DUE);
    arrives(50_000, DUE + 1, DUE + 2 * MILLI);
    expectOnly(FlowOutcome.MISSED);
  }

  @Test
  void reportsOfEarlierDeliveryDoNotDecide() {
    deadlines.tick(DUE);
    arrives(50_000, DUE - MILLI, DUE + MILLI);
    arrives(50_000, DUE + MILLI, DUE + MILLI); // The same bytes once more.
    arrives(40_000, DUE + MILLI, DUE + MILLI); // An old report.
    expectNoOutcome();
    arrives(SIZE, DUE, DUE + 6 * MILLI);
    expectOnly(FlowOutcome.MET);
  }

  @Test
  void missingReportsMeanAMissAfterATimeout() {
    deadlines.tick(DUE);
    deadlines.tick(GIVEN_UP - 1);
    expectNoOutcome();
    deadlines.tick(GIVEN_UP);
    expectOnly(FlowOutcome.MISSED);
    arrives(SIZE, DUE, GIVEN_UP + 1);
    expectOnly(FlowOutcome.MISSED);
  }

  @Test
  void endOfTheConnectionMeansAMiss() {
    deadlines.tick(DUE);
    deadlines.closed(FLOW, DUE + MILLI);
    expectOnly(FlowOutcome.MISSED);
  }

  @Test
  void deliveryTimeIsBoundedByTheReportTime() {
    arrives(SIZE, DUE + 5 * MILLI, DUE - MILLI);
    expectOnly(FlowOutcome.MET);
  }

  @Test
  void deliveryTimesAreMonotonic() {
    arrives(60_000, DUE + 1, DUE + MILLI);
    arrives(SIZE, 5 * MILLI, DUE + 2 * MILLI);
    expectOnly(FlowOutcome.MISSED);
  }

  @Test
  void reregisteredConnectionKeepsItsFirstOutcome() {
    deadlines.tick(DUE);
    long again = register(2 * SIZE, 3 * DUE, DUE + MILLI);
    arrives(SIZE, DUE, DUE + 2 * MILLI);
    expectOnly(FlowOutcome.MET);
    assertThat(deadlines.registration(again)).isPresent();
    arrives(2 * SIZE, 2 * DUE, 2 * DUE);
    assertThat(deadlines.ended().count(FlowOutcome.MET)).isEqualTo(2);
  }

  @Test
  void connectionThatMissesTwiceHasTwoOutcomes() {
    deadlines.tick(DUE);
    register(2 * SIZE, 3 * DUE, DUE + MILLI);
    deadlines.tick(3 * DUE);
    arrives(SIZE + 1, 3 * DUE, 3 * DUE + MILLI);
    expectOnly(FlowOutcome.MISSED);
    deadlines.closed(FLOW, 3 * DUE + MILLI);
    assertThat(deadlines.ended().count(FlowOutcome.MISSED)).isEqualTo(2);
  }

  @Test
  void undecidedFlowCanBeWithdrawnButNotChanged() {
    deadlines.tick(DUE);
    assertThat(deadlines.change(id, SIZE, 3 * DUE, true, DUE)).isFalse();
    assertThat(deadlines.remove(id, DUE + MILLI)).isTrue();
    expectOnly(FlowOutcome.REMOVED);
    assertThat(deadlines.remove(id, DUE + MILLI)).isFalse();
  }

  @Test
  void releaseOfAllFlowsHasNoOutcome() {
    deadlines.tick(DUE);
    deadlines.releaseAll(DUE + MILLI);
    expectNoOutcome();
    deadlines.tick(GIVEN_UP);
    expectNoOutcome();
  }

  /** Until its deadline it has more than one that is due later, and less from then on. */
  @Test
  void undecidedFlowGetsNoWindow() {
    FlowKey other =
        FlowKey.of(IpAddress.parse("10.0.0.2"), 1000, IpAddress.parse("10.0.0.200"), 80);
    deadlines.register(other, SIZE, 2 * DUE, PATH, 200_000, true, 0);
    deadlines.opened(other, PATH, 200_000, 0);
    deadlines.queue(PORT, 30_000, 0);
    deadlines.tick(0);
    assertThat(windows.get(FLOW)).isGreaterThan(windows.get(other));
    deadlines.tick(DUE);
    deadlines.tick(DUE + MILLI);
    expectNoOutcome();
    assertThat(windows.get(other)).isGreaterThan(windows.get(FLOW));
  }
}

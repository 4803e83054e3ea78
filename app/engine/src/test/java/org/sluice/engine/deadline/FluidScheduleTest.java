// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.sluice.api.PortId;
import org.sluice.engine.deadline.FluidSchedule.Demand;

/** Ports of 100 MB/s, of which 95 are promised. */
class FluidScheduleTest {
  private static final long MILLI = 1_000_000;
  private static final double PROMISED_BYTES_PER_NANO = 0.095;

  private final FluidSchedule schedule = new FluidSchedule(DeadlineParameters.DEFAULTS);

  private static DeadlinePort port(int number) {
    DeadlinePort port = new DeadlinePort(PortId.of("of:0000000000000001", number));
    port.configure(100e6, 30_000);
    port.setRoundTripNanos(200_000);
    return port;
  }

  private static Demand demand(DeadlinePort[] path, double bytes, long dueNanos) {
    return new Demand(path, bytes, 0, dueNanos, true);
  }

  @Test
  void oneAfterTheOtherByDeadline() {
    DeadlinePort[] path = {port(1)};
    Demand first = demand(path, 95_000, 2 * MILLI);
    Demand second = demand(path, 190_000, 4 * MILLI);
    FluidSchedule.run(List.of(first, second), 0);
    assertThat(first.finishNanos).isEqualTo(1e6);
    assertThat(second.finishNanos).isEqualTo(3e6);
  }

  @Test
  void aFlowThatIsNotReadyLetsOthersGoFirst() {
    DeadlinePort[] path = {port(1)};
    Demand late = new Demand(path, 95_000, 2 * MILLI, 4 * MILLI, true);
    Demand patient = demand(path, 285_000, 9 * MILLI);
    FluidSchedule.run(List.of(late, patient), 0);
    assertThat(late.finishNanos).isEqualTo(3e6);
    assertThat(patient.finishNanos).isEqualTo(4e6);
  }

  /**
   * Parking lot: the long flow holds both ports, so the cross flows come after it, side by side.
   */
  @Test
  void severalPortsAreKeptAtOnce() {
    DeadlinePort one = port(1);
    DeadlinePort other = port(2);
    Demand both = demand(new DeadlinePort[] {one, other}, 95_000, 2 * MILLI);
    Demand left = demand(new DeadlinePort[] {one}, 95_000, 3 * MILLI);
    Demand right = demand(new DeadlinePort[] {other}, 190_000, 4 * MILLI);
    FluidSchedule.run(List.of(both, left, right), 0);
    assertThat(both.finishNanos).isEqualTo(1e6);
    assertThat(left.finishNanos).isEqualTo(2e6);
    assertThat(right.finishNanos).isEqualTo(3e6);
  }

  @Test
  void baseWindowsOfOthersAreNotPromised() {
    DeadlinePort port = port(1);
    port.setBaseWindow(2000);
    port.join(false, true);
    Demand demand = demand(new DeadlinePort[] {port}, 91_000, 2 * MILLI);
    FluidSchedule.run(List.of(demand), 0);
    // 2 KB per 500 us are 4 MB/s: 91 of 95 are left.
    assertThat(demand.finishNanos).isEqualTo(1e6);
  }

  /** On one port EDF is optimal: what is due by any time must fit before it, and that is enough. */
  @Property
  void acceptsExactlyWhatFits(@ForAll("demands") List<long[]> wanted) {
    DeadlinePort[] path = {port(1)};
    List<Demand> accepted = new ArrayList<>();
    for (long[] each : wanted) {
      Demand demand = demand(path, each[0], each[1]);
      List<Demand> with = new ArrayList<>(accepted);
      with.add(demand);
      with.sort(Comparator.comparingLong(d -> d.deadlineNanos));
      boolean answer = schedule.ask(accepted, demand, 0).isAccepted();
      assertThat(answer).isEqualTo(fits(with));
      if (answer) {
        accepted = with;
      }
    }
  }

  /** The earliest deadline that is told is accepted, and a little earlier is not. */
  @Property
  void theEarliestDeadlineIsTheEarliest(@ForAll("demands") List<long[]> wanted) {
    DeadlinePort[] path = {port(1)};
    List<Demand> accepted = new ArrayList<>();
    for (long[] each : wanted) {
      Demand demand = demand(path, each[0], each[1]);
      org.sluice.api.deadline.Admission answer = schedule.ask(accepted, demand, 0);
      if (answer.isAccepted()) {
        accepted.add(demand);
        accepted.sort(Comparator.comparingLong(d -> d.deadlineNanos));
      } else {
        long earliest = answer.earliestNanos().getAsLong();
        Demand then = demand(path, each[0], earliest);
        Demand sooner = demand(path, each[0], earliest - 200_000);
        assertThat(schedule.ask(accepted, then, 0).isAccepted()).isTrue();
        assertThat(schedule.ask(accepted, sooner, 0).isAccepted()).isFalse();
      }
    }
  }

  private static boolean fits(List<Demand> byDeadline) {
    double sum = 0;
    for (Demand demand : byDeadline) {
      sum += demand.bytes;
      if (sum > demand.deadlineNanos * PROMISED_BYTES_PER_NANO) {
        return false;
      }
    }
    return true;
  }

  /** Bytes and deadline, odd enough that no sum fits exactly. */
  @Provide
  Arbitrary<List<long[]>> demands() {
    return Combinators.combine(
            Arbitraries.longs().between(1_000, 200_000).map(bytes -> bytes / 95 * 95 + 7),
            Arbitraries.longs().between(1, 12).map(millis -> millis * MILLI))
        .as((bytes, due) -> new long[] {bytes, due})
        .list()
        .ofMaxSize(12);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.sluice.api.deadline.Admission;

/** Ports of 100 MB/s, of which 95 are promised. */
class SedAdmissionTest {
  private static final long MILLI = 1_000_000;
  private static final double PROMISED_BYTES_PER_NANO = 0.095;

  private static ResidualCapacity port() {
    return new ResidualCapacity(95e6);
  }

  private static FlowDemand demand(ResidualCapacity[] path, double bytes, long dueNanos) {
    return new FlowDemand(path, bytes, 0, dueNanos);
  }

  private static void run(List<ResidualCapacity> ports, FlowDemand... demands) {
    new SedAdmission(ports, List.of(demands), 0);
  }

  @Test
  void scheduleIsByEarliestDeadlineFirst() {
    ResidualCapacity[] path = {port()};
    FlowDemand first = demand(path, 95_000, 2 * MILLI);
    FlowDemand second = demand(path, 190_000, 4 * MILLI);
    run(List.of(path), first, second);
    assertThat(first.finishNanos).isEqualTo(1e6);
    assertThat(second.finishNanos).isEqualTo(3e6);
  }

  @Test
  void flowThatBeginsLaterLetsOthersGoFirst() {
    ResidualCapacity[] path = {port()};
    FlowDemand late = new FlowDemand(path, 95_000, 2 * MILLI, 4 * MILLI);
    FlowDemand patient = demand(path, 285_000, 9 * MILLI);
    run(List.of(path), late, patient);
    assertThat(late.finishNanos).isEqualTo(3e6);
    assertThat(patient.finishNanos).isEqualTo(4e6);
  }

  /**
   * Parking lot: the long flow holds both ports, so the cross flows come after it, side by side.
   */
  @Test
  void allPortsOfAPathAreScheduled() {
    ResidualCapacity one = port();
    ResidualCapacity other = port();
    FlowDemand both = demand(new ResidualCapacity[] {one, other}, 95_000, 2 * MILLI);
    FlowDemand left = demand(new ResidualCapacity[] {one}, 95_000, 3 * MILLI);
    FlowDemand right = demand(new ResidualCapacity[] {other}, 190_000, 4 * MILLI);
    run(List.of(one, other), both, left, right);
    assertThat(both.finishNanos).isEqualTo(1e6);
    assertThat(left.finishNanos).isEqualTo(2e6);
    assertThat(right.finishNanos).isEqualTo(3e6);
  }

  /** 95,000 bytes fit before another has the port, and the last one comes after it. */
  @Test
  void lastByteIsDelayedLikeAllOthers() {
    ResidualCapacity one = port();
    ResidualCapacity other = port();
    FlowDemand first = demand(new ResidualCapacity[] {other}, 95_000, 2 * MILLI);
    FlowDemand both = demand(new ResidualCapacity[] {one, other}, 95_000, 3 * MILLI);
    FlowDemand last = demand(new ResidualCapacity[] {one}, 95_001, 4 * MILLI);
    run(List.of(one, other), first, both, last);
    assertThat(both.finishNanos).isEqualTo(2e6);
    assertThat(last.finishNanos).isCloseTo(2e6 + 1 / PROMISED_BYTES_PER_NANO, within(0.01));
  }

  /** The clock of a machine that has been up for 200 days has times by twos of nanoseconds. */
  @Test
  void clockResolutionIsNoReasonToWait() {
    long now = 200L * 86_400 * 1_000 * MILLI + 1;
    ResidualCapacity one = port();
    ResidualCapacity other = port();
    FlowDemand first = new FlowDemand(new ResidualCapacity[] {other}, 95_001, now, now + 2 * MILLI);
    FlowDemand both =
        new FlowDemand(new ResidualCapacity[] {one, other}, 95_000, now, now + 3 * MILLI);
    FlowDemand last = new FlowDemand(new ResidualCapacity[] {one}, 95_001, now, now + 4 * MILLI);
    new SedAdmission(List.of(one, other), List.of(first, both, last), now);
    assertThat(last.finishNanos - now).isCloseTo(95_001 / PROMISED_BYTES_PER_NANO, within(10.0));
  }

  /** Its connection began 1 us after it was requested: in the reference it is late by that. */
  @Test
  void marginallyLateAdmissionIsNotDelayedFurther() {
    ResidualCapacity[] path = {port()};
    FlowDemand promised = demand(path, 950_000, 10 * MILLI);
    SedAdmission schedule = new SedAdmission(List.of(path), List.of(promised), 1000);
    Admission answer = schedule.decide(demand(path, 95_000, 5 * MILLI));
    assertThat(answer.isAccepted()).isFalse();
    // Behind it there is space, and the answer has from when on.
    assertThat(answer.earliestNanos().getAsLong()).isBetween(11 * MILLI - 2, 11 * MILLI + 2);
    assertThat(schedule.decide(demand(path, 95_000, 11 * MILLI + 2000)).isAccepted()).isTrue();
  }

  /** It has sent nothing so far, and 10 ms are not enough even for all of the port. */
  @Test
  void infeasibleAdmissionDoesNotBlockANewFlow() {
    ResidualCapacity[] path = {port()};
    FlowDemand hopeless = demand(path, 1_100_000, 10 * MILLI);
    SedAdmission schedule = new SedAdmission(List.of(path), List.of(hopeless), 0);
    assertThat(schedule.decide(demand(path, 95_000, 5 * MILLI)).isAccepted()).isTrue();
  }

  /** All at once in small steps of time, each step by deadline: the same as one after the other. */
  @Property(tries = 300)
  void sequentialAdmissionAgreesWithCombinedAdmission(@ForAll("crossing") List<long[]> wanted) {
    ResidualCapacity[] ports = {port(), new ResidualCapacity(47.5e6), port()};
    List<FlowDemand> demands = new ArrayList<>();
    for (long[] each : wanted) {
      List<ResidualCapacity> path = new ArrayList<>();
      for (int i = 0; i < ports.length; i++) {
        if ((each[3] >> i & 1) == 1) {
          path.add(ports[i]);
        }
      }
      demands.add(new FlowDemand(path.toArray(new ResidualCapacity[0]), each[0], each[2], each[1]));
    }
    demands.sort(Comparator.comparingLong(d -> d.deadlineNanos));
    run(List.of(ports), demands.toArray(new FlowDemand[0]));
    double[] expected =
        FluidReference.finishTimes(ports, new double[] {95e6, 47.5e6, 95e6}, demands);
    for (int i = 0; i < expected.length; i++) {
      assertThat(demands.get(i).finishNanos).isCloseTo(expected[i], within(1000.0));
    }
  }

  /** Bytes, deadline, ready, and which of three ports it crosses. */
  @Provide
  Arbitrary<List<long[]>> crossing() {
    return Combinators.combine(
            Arbitraries.longs().between(1_000, 200_000),
            Arbitraries.longs().between(1, 30),
            Arbitraries.longs().between(0, 4),
            Arbitraries.longs().between(1, 7))
        .as((bytes, due, ready, path) -> new long[] {bytes, due * MILLI, ready * MILLI, path})
        .list()
        .ofMinSize(1)
        .ofMaxSize(10);
  }

  /**
   * Whatever one owner has promised to it, sent or not: another one's deadline is later by no more
   * than the ten seconds that are anybody's, and than the owner's part slows it down.
   */
  @Property
  void oneOwnersPromisesHardlyDelayOthers(
      @ForAll("hoards") List<long[]> wanted,
      @ForAll @DoubleRange(min = 0.05, max = 0.9) double part,
      @ForAll @LongRange(min = 1, max = 1_000_000_000_000L) long bytes) {
    ResidualCapacity port = port();
    ResidualCapacity[] hoarder = {port, port.part(part, 0)};
    ResidualCapacity[] victim = {port, port.part(1 - part, 0)};
    List<ResidualCapacity> all = List.of(port, hoarder[1], victim[1]);
    SedAdmission schedule = new SedAdmission(all, List.of(), 0);
    for (long[] each : wanted) {
      Admission answer = schedule.decide(demand(hoarder, each[0], each[1]));
      if (answer.earliestNanos().isPresent() && !answer.isAccepted()) {
        schedule.decide(demand(hoarder, each[0], answer.earliestNanos().getAsLong()));
      }
    }
    double latestNanos = 10e9 + bytes / (1 - part) / PROMISED_BYTES_PER_NANO;
    Admission answer = schedule.decide(demand(victim, bytes, (long) Math.ceil(latestNanos) + 1000));
    assertThat(answer.isAccepted()).isTrue();
  }

  /** Bytes and deadlines, up to a day ahead. */
  @Provide
  Arbitrary<List<long[]>> hoards() {
    return Combinators.combine(
            Arbitraries.longs().between(1_000, 1_000_000_000_000_000L),
            Arbitraries.longs().between(1, 86_400_000))
        .as((bytes, due) -> new long[] {bytes, due * MILLI})
        .list()
        .ofMaxSize(12);
  }

  /** On one port EDF is optimal: what is due by any time must fit before it, and that is enough. */
  @Property
  void admitsExactlyFeasibleFlows(@ForAll("demands") List<long[]> wanted) {
    ResidualCapacity[] path = {port()};
    List<FlowDemand> accepted = new ArrayList<>();
    SedAdmission schedule = new SedAdmission(List.of(path), List.of(), 0);
    for (long[] each : wanted) {
      FlowDemand demand = demand(path, each[0], each[1]);
      List<FlowDemand> with = new ArrayList<>(accepted);
      with.add(demand);
      with.sort(Comparator.comparingLong(d -> d.deadlineNanos));
      boolean answer = schedule.decide(demand).isAccepted();
      assertThat(answer).isEqualTo(fits(with));
      if (answer) {
        accepted = with;
      }
    }
  }

  /** The earliest deadline that is offered is accepted, and a little earlier is not. */
  @Property
  void returnedEarliestDeadlineIsTheEarliestFeasible(@ForAll("demands") List<long[]> wanted) {
    ResidualCapacity[] path = {port()};
    List<FlowDemand> accepted = new ArrayList<>();
    for (long[] each : wanted) {
      FlowDemand demand = demand(path, each[0], each[1]);
      Admission answer = schedule(path, accepted).decide(demand);
      if (answer.isAccepted()) {
        accepted.add(demand);
        accepted.sort(Comparator.comparingLong(d -> d.deadlineNanos));
      } else {
        long earliest = answer.earliestNanos().getAsLong();
        FlowDemand then = demand(path, each[0], earliest);
        FlowDemand sooner = demand(path, each[0], earliest - 1000);
        assertThat(schedule(path, accepted).decide(then).isAccepted()).isTrue();
        assertThat(schedule(path, accepted).decide(sooner).isAccepted()).isFalse();
      }
    }
  }

  private static SedAdmission schedule(ResidualCapacity[] path, List<FlowDemand> accepted) {
    return new SedAdmission(List.of(path), accepted, 0);
  }

  private static boolean fits(List<FlowDemand> byDeadline) {
    double sum = 0;
    for (FlowDemand demand : byDeadline) {
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

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

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
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.deadline.Admission;
import org.sluice.api.deadline.FlowKey;

/** Ports of 100 MB/s, of which 95 are promised. */
class FluidScheduleTest {
  private static final long MILLI = 1_000_000;
  private static final double PROMISED_BYTES_PER_NANO = 0.095;

  private static FreeRate port() {
    return new FreeRate(95e6);
  }

  private static Demand demand(FreeRate[] path, double bytes, long dueNanos) {
    return new Demand(path, bytes, 0, dueNanos);
  }

  private static void run(List<FreeRate> ports, Demand... demands) {
    new FluidSchedule(ports, List.of(demands), 0);
  }

  @Test
  void oneAfterTheOtherByDeadline() {
    FreeRate[] path = {port()};
    Demand first = demand(path, 95_000, 2 * MILLI);
    Demand second = demand(path, 190_000, 4 * MILLI);
    run(List.of(path), first, second);
    assertThat(first.finishNanos).isEqualTo(1e6);
    assertThat(second.finishNanos).isEqualTo(3e6);
  }

  @Test
  void aFlowThatIsNotReadyLetsOthersGoFirst() {
    FreeRate[] path = {port()};
    Demand late = new Demand(path, 95_000, 2 * MILLI, 4 * MILLI);
    Demand patient = demand(path, 285_000, 9 * MILLI);
    run(List.of(path), late, patient);
    assertThat(late.finishNanos).isEqualTo(3e6);
    assertThat(patient.finishNanos).isEqualTo(4e6);
  }

  /**
   * Parking lot: the long flow holds both ports, so the cross flows come after it, side by side.
   */
  @Test
  void severalPortsAreKeptAtOnce() {
    FreeRate one = port();
    FreeRate other = port();
    Demand both = demand(new FreeRate[] {one, other}, 95_000, 2 * MILLI);
    Demand left = demand(new FreeRate[] {one}, 95_000, 3 * MILLI);
    Demand right = demand(new FreeRate[] {other}, 190_000, 4 * MILLI);
    run(List.of(one, other), both, left, right);
    assertThat(both.finishNanos).isEqualTo(1e6);
    assertThat(left.finishNanos).isEqualTo(2e6);
    assertThat(right.finishNanos).isEqualTo(3e6);
  }

  /** 95,000 bytes fit before another has the port, and the last one comes after it. */
  @Test
  void theLastByteWaitsAsAllOthers() {
    FreeRate one = port();
    FreeRate other = port();
    Demand first = demand(new FreeRate[] {other}, 95_000, 2 * MILLI);
    Demand both = demand(new FreeRate[] {one, other}, 95_000, 3 * MILLI);
    Demand last = demand(new FreeRate[] {one}, 95_001, 4 * MILLI);
    run(List.of(one, other), first, both, last);
    assertThat(both.finishNanos).isEqualTo(2e6);
    assertThat(last.finishNanos).isCloseTo(2e6 + 1 / PROMISED_BYTES_PER_NANO, within(0.01));
  }

  /** The clock of a machine that has been up for 200 days tells times by twos of nanoseconds. */
  @Test
  void theGrainOfTheClockIsNoReasonToWait() {
    long now = 200L * 86_400 * 1_000 * MILLI + 1;
    FreeRate one = port();
    FreeRate other = port();
    Demand first = new Demand(new FreeRate[] {other}, 95_001, now, now + 2 * MILLI);
    Demand both = new Demand(new FreeRate[] {one, other}, 95_000, now, now + 3 * MILLI);
    Demand last = new Demand(new FreeRate[] {one}, 95_001, now, now + 4 * MILLI);
    new FluidSchedule(List.of(one, other), List.of(first, both, last), now);
    assertThat(last.finishNanos - now).isCloseTo(95_001 / PROMISED_BYTES_PER_NANO, within(10.0));
  }

  @Test
  void baseWindowsOfOthersAreNotPromised() {
    DeadlinePort port = new DeadlinePort(PortId.of("of:0000000000000001", 1));
    port.configure(100e6, 30_000);
    port.setRoundTripNanos(200_000);
    port.setBaseWindow(2000);
    FlowKey key = FlowKey.of(IpAddress.parse("10.0.0.1"), 1, IpAddress.parse("10.0.0.2"), 2);
    port.join(new GifRow(1, 1, key, new DeadlinePort[] {port}, 0, GifRow.NEVER, false));
    // 2 KB per 500 us are 4 MB/s: 91 of 95 are left.
    assertThat(port.promisableBytesPerSecond()).isEqualTo(91e6);
  }

  /** What is not under grant bounds promises only where it does not yield to them. */
  @Test
  void whatYieldsMayBePromised() {
    DeadlinePort port = new DeadlinePort(PortId.of("of:0000000000000001", 1));
    port.configure(100e6, 30_000);
    port.setUngoverned(60e6);
    assertThat(port.promisableBytesPerSecond()).isEqualTo(38e6);
    port.setReserved(5e6, true);
    assertThat(port.promisableBytesPerSecond()).isEqualTo(90e6);
  }

  /** Its connection began 1 us after it was asked for: in the reference it is late by that. */
  @Test
  void aPromiseThatIsLateByAHairIsNotMadeLater() {
    FreeRate[] path = {port()};
    Demand promised = demand(path, 950_000, 10 * MILLI);
    FluidSchedule schedule = new FluidSchedule(List.of(path), List.of(promised), 1000);
    Admission answer = schedule.ask(demand(path, 95_000, 5 * MILLI));
    assertThat(answer.isAccepted()).isFalse();
    // Behind it there is room, and the asker is told from when on.
    assertThat(answer.earliestNanos().getAsLong()).isBetween(11 * MILLI - 2, 11 * MILLI + 2);
    assertThat(schedule.ask(demand(path, 95_000, 11 * MILLI + 2000)).isAccepted()).isTrue();
  }

  /** It has sent nothing so far, and 10 ms are not enough even for all of the port. */
  @Test
  void whatCannotBeKeptAnyhowIsNoNewcomersBusiness() {
    FreeRate[] path = {port()};
    Demand hopeless = demand(path, 1_100_000, 10 * MILLI);
    FluidSchedule schedule = new FluidSchedule(List.of(path), List.of(hopeless), 0);
    assertThat(schedule.ask(demand(path, 95_000, 5 * MILLI)).isAccepted()).isTrue();
  }

  /** All at once in small steps of time, each step by deadline: the same as one after the other. */
  @Property(tries = 300)
  void oneAfterTheOtherIsAllAtOnce(@ForAll("crossing") List<long[]> wanted) {
    FreeRate[] ports = {port(), new FreeRate(47.5e6), port()};
    List<Demand> demands = new ArrayList<>();
    for (long[] each : wanted) {
      List<FreeRate> path = new ArrayList<>();
      for (int i = 0; i < ports.length; i++) {
        if ((each[3] >> i & 1) == 1) {
          path.add(ports[i]);
        }
      }
      demands.add(new Demand(path.toArray(new FreeRate[0]), each[0], each[2], each[1]));
    }
    demands.sort(Comparator.comparingLong(d -> d.deadlineNanos));
    run(List.of(ports), demands.toArray(new Demand[0]));
    double[] expected = AllAtOnce.finishTimes(ports, new double[] {95e6, 47.5e6, 95e6}, demands);
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

  /** On one port EDF is optimal: what is due by any time must fit before it, and that is enough. */
  @Property
  void acceptsExactlyWhatFits(@ForAll("demands") List<long[]> wanted) {
    FreeRate[] path = {port()};
    List<Demand> accepted = new ArrayList<>();
    FluidSchedule schedule = new FluidSchedule(List.of(path), List.of(), 0);
    for (long[] each : wanted) {
      Demand demand = demand(path, each[0], each[1]);
      List<Demand> with = new ArrayList<>(accepted);
      with.add(demand);
      with.sort(Comparator.comparingLong(d -> d.deadlineNanos));
      boolean answer = schedule.ask(demand).isAccepted();
      assertThat(answer).isEqualTo(fits(with));
      if (answer) {
        accepted = with;
      }
    }
  }

  /** The earliest deadline that is told is accepted, and a little earlier is not. */
  @Property
  void theEarliestDeadlineIsTheEarliest(@ForAll("demands") List<long[]> wanted) {
    FreeRate[] path = {port()};
    List<Demand> accepted = new ArrayList<>();
    for (long[] each : wanted) {
      Demand demand = demand(path, each[0], each[1]);
      Admission answer = schedule(path, accepted).ask(demand);
      if (answer.isAccepted()) {
        accepted.add(demand);
        accepted.sort(Comparator.comparingLong(d -> d.deadlineNanos));
      } else {
        long earliest = answer.earliestNanos().getAsLong();
        Demand then = demand(path, each[0], earliest);
        Demand sooner = demand(path, each[0], earliest - 1000);
        assertThat(schedule(path, accepted).ask(then).isAccepted()).isTrue();
        assertThat(schedule(path, accepted).ask(sooner).isAccepted()).isFalse();
      }
    }
  }

  private static FluidSchedule schedule(FreeRate[] path, List<Demand> accepted) {
    return new FluidSchedule(List.of(path), accepted, 0);
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

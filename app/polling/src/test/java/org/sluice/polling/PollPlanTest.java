// SPDX-License-Identifier: Apache-2.0
package org.sluice.polling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.counters.CounterTargets;

/** What is read of a switch of 48 ports, by what its ports do; a second of it takes no time. */
class PollPlanTest {
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long CAPACITY = 1_000_000_000;
  private static final int PORTS = 48;
  private static final int UPLINKS = 8;

  /** As far as it takes an idle OVS. */
  private static final long REPLY_NANOS = 200_000;

  private final PollPlan plan = new PollPlan();
  private final Map<PollRequest.Kind, Map<Long, Integer>> reads = new HashMap<>();
  private final Map<Long, Double> load = new HashMap<>();
  private final Map<Long, Long> marks = new HashMap<>();
  private long now = -5 * SECOND; // The clock may stand anywhere, and pass 0.
  private long bytes;
  private int requests;
  private int portsOfTheSwitch = PORTS;
  private long lastReplyNanos;

  @BeforeEach
  void aSwitch() {
    Map<Long, Long> capacities = new HashMap<>();
    Map<Long, Long> meters = new HashMap<>();
    for (long port = 1; port <= PORTS; port++) {
      capacities.put(port, CAPACITY);
    }
    for (long meter = 1; meter <= UPLINKS; meter++) {
      meters.put(meter, meter);
    }
    plan.setTargets(CounterTargets.of(capacities, meters), now);
  }

  /** Requests and replies for a while; returns bits per second on the wire in both directions. */
  private long run(long nanos) {
    reads.clear();
    bytes = 0;
    requests = 0;
    long end = now + nanos;
    while (now < end) {
      Optional<PollRequest> request = plan.next(now);
      if (request.isPresent()) {
        answer(request.get());
      } else {
        long next = plan.nextNanos(now);
        assertThat(next).isGreaterThan(now);
        now = Math.min(next, end);
      }
    }
    return 8 * bytes * SECOND / nanos;
  }

  private void answer(PollRequest request) {
    boolean ofPorts = request.kind() == PollRequest.Kind.PORT;
    int has = ofPorts ? portsOfTheSwitch : UPLINKS;
    long replyBytes = request.kind().replyBytes(request.isForAll() ? has : 1);
    bytes += onTheWire(replyBytes);
    now += REPLY_NANOS;
    plan.replied(request, replyBytes);
    if (!request.isForAll()) {
      read(request.kind(), request.number());
    } else {
      for (long number = 1; number <= has; number++) {
        read(request.kind(), number);
      }
    }
    requests++;
  }

  /** As TCP would carry it, acknowledgements held back for 40 ms. */
  private long onTheWire(long replyBytes) {
    long segments = (replyBytes + 1447) / 1448;
    boolean acknowledgedByRequest = now - lastReplyNanos < 40 * MILLI;
    lastReplyNanos = now;
    return 24 + replyBytes + 66 * (1 + segments + segments / 2) + (acknowledgedByRequest ? 0 : 66);
  }

  private void read(PollRequest.Kind kind, long number) {
    reads.computeIfAbsent(kind, k -> new HashMap<>()).merge(number, 1, Integer::sum);
    if (kind == PollRequest.Kind.PORT) {
      double bitsPerSecond = load.getOrDefault(number, 0.0) * CAPACITY;
      plan.portRead(number, bitsPerSecond > 0, bitsPerSecond, bitsPerSecond, now);
    } else {
      plan.meterRead(number, marks.getOrDefault(number, 0L), now);
    }
  }

  private int portReads(long port) {
    return reads.getOrDefault(PollRequest.Kind.PORT, Map.of()).getOrDefault(port, 0);
  }

  private int meterReads(long meter) {
    return reads.getOrDefault(PollRequest.Kind.METER, Map.of()).getOrDefault(meter, 0);
  }

  @Test
  void idleSwitchIsPolledByOneRequestForAllPorts() {
    run(3 * SECOND);
    run(10 * SECOND);

    assertThat(requests).isLessThan(10 * (10 + 2));
  }

  @Test
  void fewOfManyPortsArePolledIndividually() {
    portsOfTheSwitch = 500;
    plan.setTargets(CounterTargets.of(Map.of(1L, CAPACITY, 2L, CAPACITY), Map.of()), now);
    run(5 * SECOND);

    assertThat(run(10 * SECOND)).isLessThan(10_000);
    assertThat(portReads(1)).isBetween(8, 11);
  }

  @Test
  void idleSwitchStaysWithinTheIdleBudgetAndEveryPortIsRead() {
    run(3 * SECOND);

    assertThat(run(10 * SECOND)).isLessThanOrEqualTo(100_000);
    for (long port = 1; port <= PORTS; port++) {
      assertThat(portReads(port)).as("reads of port %d in 10 s", port).isBetween(4, 11);
    }
    for (long meter = 1; meter <= UPLINKS; meter++) {
      assertThat(meterReads(meter)).as("reads of meter %d in 10 s", meter).isBetween(60, 101);
    }
  }

  @Test
  void idleSwitchStaysWithinTheBudgetInEverySecond() {
    for (int second = 0; second < 10; second++) {
      assertThat(run(SECOND)).as("second %d", second).isLessThanOrEqualTo(100_000);
    }
  }

  @Test
  void periodsOfLightlyLoadedPortsAreStretchedEqually() {
    for (long port = 1; port <= PORTS; port++) {
      load.put(port, 0.1);
    }
    run(3 * SECOND);

    assertThat(run(10 * SECOND)).isLessThanOrEqualTo(100_000);
    assertThat(portReads(1)).isGreaterThan(4).isCloseTo(portReads(48), within(3));
    assertThat(meterReads(1)).isGreaterThan(portReads(1));
  }

  @Test
  void lightlyLoadedPortIsReadEvery100MillisWithinTheBudget() {
    load.put(20L, 0.1);
    plan.setTargets(CounterTargets.of(Map.of(20L, CAPACITY), Map.of(1L, 20L)), now);
    run(3 * SECOND);
    run(10 * SECOND);

    assertThat(portReads(20)).isBetween(98, 101);
    assertThat(meterReads(1)).isBetween(98, 101);
  }

  @Test
  void aMeterThatCountsMarksIsReadEvery5Millis() {
    marks.put(3L, 10L);
    run(SECOND);

    assertThat(run(10 * SECOND)).isLessThanOrEqualTo(1_000_000);
    assertThat(meterReads(3)).isBetween(1950, 2110);
    assertThat(meterReads(4)).isLessThan(110);
  }

  @Test
  void markedPortsAreReadOftenAndReturnToIdleSlowly() {
    run(3 * SECOND);
    marks.put(3L, 10L);
    run(200 * MILLI);
    run(100 * MILLI);
    assertThat(meterReads(3)).isBetween(18, 23);

    marks.clear();
    run(200 * MILLI);
    assertThat(meterReads(3)).as("5, 10, 20, 40, 80 ms and then 100").isBetween(4, 9);
  }

  @Test
  void aBusyPortIsReadEvery5MillisAndItsMeterWithIt() {
    load.put(2L, 0.9);
    run(2 * SECOND);

    assertThat(run(10 * SECOND)).isLessThanOrEqualTo(1_000_000);
    assertThat(portReads(2)).isBetween(1950, 2110);
    assertThat(meterReads(2)).isBetween(1950, 2110);
    assertThat(portReads(40)).isGreaterThan(3);
  }

  @Test
  void watchedPortIsReadEvery5MillisUntilItsDeadline() {
    run(3 * SECOND);
    plan.watch(30, now + SECOND, now);
    run(SECOND);
    assertThat(portReads(30)).isBetween(195, 205);

    run(SECOND);
    run(SECOND);
    assertThat(portReads(30)).isLessThan(3);
  }

  @Test
  void fullyCongestedSwitchStaysWithinTheBudget() {
    for (long port = 1; port <= PORTS; port++) {
      load.put(port, 1.0);
      marks.put(port, 50L);
    }
    for (int second = 0; second < 10; second++) {
      assertThat(run(SECOND)).as("second %d", second).isLessThanOrEqualTo(1_000_000);
    }
    assertThat(meterReads(1)).as("mark meters first").isGreaterThan(portReads(1));
    assertThat(portReads(1)).isGreaterThan(3).isCloseTo(portReads(48), within(3));
  }

  @Test
  void portOfUnknownCapacityIsNotBusy() {
    plan.setTargets(CounterTargets.of(Map.of(1L, 0L), Map.of()), now);
    load.put(1L, 1.0);
    run(2 * SECOND);
    run(SECOND);

    assertThat(portReads(1)).isLessThan(12);
  }

  @Test
  void missingPortsAndMetersArePolledOncePerSecond() {
    plan.setTargets(CounterTargets.of(Map.of(), Map.of(9L, 1L)), now);
    PollRequest request = plan.next(now).orElseThrow();
    plan.missing(request, now);

    assertThat(plan.nextNanos(now) - now).isBetween(SECOND - 1, SECOND);
  }

  @Test
  void longerRepliesAreCharged() {
    plan.setTargets(CounterTargets.of(Map.of(1L, CAPACITY), Map.of()), now);
    assertThat(plan.next(now)).isPresent();
    plan.replied(new PollRequest(PollRequest.Kind.PORT, 1), 90_000 / 8);

    assertThat(plan.nextNanos(now) - now).isGreaterThan(SECOND / 2);
  }

  @Test
  void emptyTargetsCauseNoReading() {
    plan.setTargets(CounterTargets.of(Map.of(), Map.of()), now);

    assertThat(plan.next(now)).isEmpty();
    assertThat(plan.nextNanos(now)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void removedTargetsAreNotReadAndOthersKeepTheirPeriod() {
    marks.put(3L, 10L);
    run(SECOND);
    plan.setTargets(CounterTargets.of(Map.of(5L, CAPACITY), Map.of(3L, 3L)), now);
    run(SECOND);

    assertThat(reads.get(PollRequest.Kind.PORT).keySet()).containsOnly(5L);
    assertThat(reads.get(PollRequest.Kind.METER).keySet()).containsOnly(3L);
    assertThat(meterReads(3)).isGreaterThan(190);
  }

  private static Offset<Integer> within(int reads) {
    return Offset.offset(reads);
  }
}

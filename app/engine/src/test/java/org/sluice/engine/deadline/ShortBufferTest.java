// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.engine.law.DeadlineParameters;
import org.sluice.engine.law.WindowScheme;

/**
 * 6 MB/s of payload, K = 8 segments of 1500 bytes, a round trip of 500 us, and space for 20
 * segments: T_win is 10 segments without slack, and windows may hold 13.3 in the buffer.
 */
class ShortBufferTest {
  private static final PortId PORT = PortId.of("of:0000000000000001", 1);
  private static final List<PortId> PATH = List.of(PORT);
  private static final int SEGMENT = 1500;
  private static final int BUFFER_SEGMENTS = 20;
  private static final long PATH_BYTES = 3000;
  private static final long MILLI = 1_000_000;
  private static final long ROUND_TRIP = 500_000;
  private static final long FULL_ROUND_TRIP = 2_500_000;
  private static final long LATENCY = 2 * MILLI;
  private static final double BUFFER_PART = 2 / 3.0;

  private final Map<FlowKey, Long> windows = new HashMap<>();
  private Deadlines deadlines;

  @BeforeEach
  void begin() {
    begin(WindowScheme.EDF);
  }

  private void begin(WindowScheme scheme) {
    windows.clear();
    deadlines =
        new Deadlines(
            grant -> windows.put(grant.flow(), grant.windowBytes()),
            DeadlineParameters.DEFAULTS
                .withWindows(scheme)
                .withSegmentBytes(SEGMENT)
                .withLatencyNanos(LATENCY));
    deadlines.putPort(PORT, 6e6, 8 * SEGMENT, ROUND_TRIP);
    deadlines.setBuffer(PORT, BUFFER_SEGMENTS * SEGMENT);
  }

  private static FlowKey flow(int number) {
    return FlowKey.of(IpAddress.parse("10.0.0." + number), 1000, IpAddress.parse("10.0.0.200"), 80);
  }

  private void register(int number, long bytes, long dueNanos) {
    deadlines.register(flow(number), bytes, dueNanos, PATH, ROUND_TRIP, true, 0);
  }

  private double sum() {
    return windows.values().stream().mapToLong(Math::abs).sum();
  }

  @Test
  void initialWindowsFitThePortTogetherAndOtherFlowsWait() {
    for (int i = 1; i <= 40; i++) {
      register(i, 100_000, (400 + i) * MILLI);
    }
    deadlines.tick(0);
    for (int i = 1; i <= 40; i++) {
      assertThat(windows).containsEntry(flow(i), i <= 5 ? 2L * SEGMENT : 0L);
    }
  }

  /** 40 handshakes in a few milliseconds do not fit beside a queue of data. */
  @Test
  void bufferIsReservedForExpectedHandshakes() {
    for (int i = 1; i <= 40; i++) {
      register(i, 100_000, (400 + i) * MILLI);
      deadlines.expectBeginning(i, 100 * MILLI);
    }
    deadlines.tick(0);
    assertThat(sum()).isEqualTo(10 * SEGMENT);
    deadlines.tick(97 * MILLI);
    assertThat(sum()).isEqualTo(4 * SEGMENT); // Two wait, two are on their way.
    for (int i = 1; i <= 40; i++) {
      deadlines.opened(flow(i), PATH, ROUND_TRIP, 100 * MILLI);
    }
    deadlines.tick(105 * MILLI);
    assertThat(sum()).isEqualTo(4 * SEGMENT);
    for (long millis = 111; millis <= 130; millis++) {
      deadlines.tick(millis * MILLI);
    }
    assertThat(sum()).isEqualTo(10 * SEGMENT);
  }

  @Test
  void reservationsForMissingHandshakesExpire() {
    for (int i = 1; i <= 40; i++) {
      register(i, 100_000, (400 + i) * MILLI);
      deadlines.expectBeginning(i, 100 * MILLI);
    }
    deadlines.tick(149 * MILLI);
    assertThat(sum()).isEqualTo(4 * SEGMENT);
    deadlines.tick(151 * MILLI);
    assertThat(sum()).isEqualTo(10 * SEGMENT);
  }

  /** While others may begin at any time nobody may fill the port alone. */
  @Test
  void beginOfTheFirstOfManyFlowsIsCongestion() {
    register(1, 100_000, 400 * MILLI);
    register(2, 100_000, 500 * MILLI);
    deadlines.tick(0);
    deadlines.opened(flow(1), PATH, ROUND_TRIP, MILLI);
    deadlines.tick(MILLI);
    assertThat(deadlines.isCongested(PORT)).isTrue();
    assertThat(sum()).isLessThanOrEqualTo(10 * SEGMENT);
  }

  @Test
  void slackIsBoundedByTheBuffer() {
    slackGrows();
    double most = BUFFER_PART * BUFFER_SEGMENTS * SEGMENT + PATH_BYTES;
    assertThat(deadlines.totalWindows().get(PORT)).isEqualTo(Math.round(most));
  }

  @Test
  void sedWindowsHaveNoSlack() {
    begin(WindowScheme.SED);
    slackGrows();
    assertThat(deadlines.totalWindows()).containsEntry(PORT, 10L * SEGMENT);
  }

  /** Hosts hold packets back: windows that fit the buffer do not fill the link. */
  @Test
  void admissionsAreBoundedByTheObservedThroughput() {
    assertThat(promisesInASecond(5_600_000, 0)).isTrue();
    register(1, 100_000_000, 60_000 * MILLI);
    deadlines.opened(flow(1), PATH, ROUND_TRIP, 0);
    deadlines.queue(PORT, 8 * SEGMENT, 0);
    for (int i = 1; i <= 600; i++) { // 4 of 6 MB/s.
      deadlines.progressed(flow(1), 4_000L * i, ROUND_TRIP, i * MILLI);
      deadlines.tick(i * MILLI);
    }
    deadlines.closed(flow(1), 600 * MILLI);
    deadlines.tick(600 * MILLI);
    // Next time it may be less: 0.95 of that.
    assertThat(promisesInASecond(3_900_000, 600 * MILLI)).isFalse();
    assertThat(promisesInASecond(3_700_000, 600 * MILLI)).isTrue();
  }

  /** What flows without a deadline carry is not promised besides. */
  @Test
  void throughputOfBaseWindowsIsNotAdmissible() {
    register(1, 100_000_000, 60_000 * MILLI);
    deadlines.opened(flow(1), PATH, ROUND_TRIP, 0);
    deadlines.opened(flow(2), PATH, ROUND_TRIP, 0);
    deadlines.queue(PORT, 8 * SEGMENT, 0);
    for (int i = 1; i <= 600; i++) { // 2.5 and 1.5 of 6 MB/s.
      deadlines.progressed(flow(1), 2_500L * i, ROUND_TRIP, i * MILLI);
      deadlines.progressed(flow(2), 1_500L * i, ROUND_TRIP, i * MILLI);
      deadlines.tick(i * MILLI);
    }
    deadlines.closed(flow(1), 600 * MILLI);
    deadlines.tick(600 * MILLI);
    assertThat(promisesInASecond(4_000_000 - 1_000_000, 600 * MILLI)).isFalse();
  }

  private boolean promisesInASecond(long bytes, long nowNanos) {
    AdmissionSnapshot now = deadlines.snapshot(nowNanos);
    AdmissionSnapshot.Query question = deadlines.question(now, flow(9), bytes, PATH, ROUND_TRIP);
    return now.decide(question, nowNanos + 1000 * MILLI, false).isAccepted();
  }

  /** Much passes beside an empty queue for a second. */
  private void slackGrows() {
    register(1, 100_000_000, 60_000 * MILLI);
    deadlines.opened(flow(1), PATH, ROUND_TRIP, 0);
    deadlines.queue(PORT, 8 * SEGMENT, 0);
    for (int i = 1; i <= 1000; i++) {
      deadlines.progressed(flow(1), 5_000L * i, ROUND_TRIP, i * MILLI);
      deadlines.queue(PORT, 0, i * MILLI);
      deadlines.tick(i * MILLI);
    }
  }

  /**
   * Flows begin one after the other in any order, each as an agent's report has it. Whatever
   * windows were in force, those that were lowered included until their hosts know and what was
   * sent before has been acknowledged, what they let go has its place; the most urgent flow does
   * not wait for two segments.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void packetsInFlightFitTheBuffer(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Integer> numbers = new ArrayList<>();
    Map<FlowKey, Double> left = new HashMap<>();
    Map<FlowKey, Long> sizes = new HashMap<>();
    for (int i = 1; i <= 40; i++) {
      long size = 10_000_000; // None is expected to be through soon.
      register(i, size, (400 + random.nextInt(500)) * MILLI);
      numbers.add(random.nextInt(numbers.size() + 1), i);
      sizes.put(flow(i), size);
    }
    Deque<Map<FlowKey, Long>> lately = new ArrayDeque<>();
    long step = MILLI / 4;
    int lowering = (int) ((LATENCY / 2 + FULL_ROUND_TRIP) / step);
    double most = BUFFER_PART * BUFFER_SEGMENTS * SEGMENT + PATH_BYTES + 2 * SEGMENT;
    for (int i = 0; i < 1200; i++) {
      long now = i * step;
      if (i >= 20 && i % 2 == 0 && !numbers.isEmpty()) {
        FlowKey begun = flow(numbers.remove(0));
        deadlines.opened(begun, PATH, ROUND_TRIP, now);
        left.put(begun, (double) sizes.get(begun));
      }
      for (FlowKey flow : left.keySet()) {
        double sent = windows.get(flow) * (double) step / FULL_ROUND_TRIP;
        left.compute(flow, (key, bytes) -> Math.max(0, bytes - sent));
        long delivered = sizes.get(flow) - Math.round(left.get(flow));
        deadlines.progressed(flow, delivered, FULL_ROUND_TRIP, now);
      }
      if (i % 20 == 19) { // The order changes.
        long due = now + (400 + random.nextInt(500)) * MILLI;
        deadlines.change(1 + random.nextInt(40), 10_000_000, due, true, now);
      }
      deadlines.tick(now);
      lately.add(Map.copyOf(windows));
      if (lately.size() > lowering + 1) {
        lately.remove();
      }
      assertThat(inTransit(lately, left)).isLessThanOrEqualTo(most);
      // With a single one each would wait for its acknowledgement.
      left.forEach(
          (flow, bytes) ->
              assertThat(windows.get(flow)).isNotEqualTo(bytes > SEGMENT ? SEGMENT : -1L));
    }
    double through = left.values().stream().mapToDouble(bytes -> 10_000_000 - bytes).sum();
    assertThat(through).isGreaterThan(900_000); // Half of what the port can carry.
  }

  /** The widest window of each, as far as there is something to send. */
  private static double inTransit(Iterable<Map<FlowKey, Long>> lately, Map<FlowKey, Double> left) {
    Map<FlowKey, Long> widest = new HashMap<>();
    lately.forEach(then -> then.forEach((flow, bytes) -> widest.merge(flow, bytes, Math::max)));
    double sum = 0;
    for (Map.Entry<FlowKey, Long> each : widest.entrySet()) {
      sum += Math.min(each.getValue(), left.getOrDefault(each.getKey(), Double.MAX_VALUE));
    }
    return sum;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowOutcome;
import org.sluice.api.link.WindowGrant;
import org.sluice.engine.law.DeadlineParameters;
import org.sluice.engine.law.WindowScheme;

/**
 * A port of 100 MB/s of payload, K = 30 segments of 1000 bytes, a round trip of 200 us: T_win is 30
 * + 20 = 50 segments, a round trip with the queue at K takes 500 us.
 */
class DeadlinesTest {
  private static final PortId PORT = PortId.of("of:0000000000000001", 1);
  private static final List<PortId> PATH = List.of(PORT);
  private static final int SEGMENT = 1000;
  private static final long MILLI = 1_000_000;

  private final Map<FlowKey, Long> windows = new LinkedHashMap<>();
  private final Deadlines deadlines = deadlines(DeadlineParameters.DEFAULTS);

  private Deadlines deadlines(DeadlineParameters parameters) {
    Deadlines made =
        new Deadlines(
            grant -> windows.put(grant.flow(), grant.windowBytes()),
            parameters.withSegmentBytes(SEGMENT).withLatencyNanos(0));
    made.putPort(PORT, 100e6, 30 * SEGMENT, 200_000);
    return made;
  }

  private static FlowKey flow(int number) {
    return FlowKey.of(IpAddress.parse("10.0.0." + number), 1000, IpAddress.parse("10.0.0.200"), 80);
  }

  private void open(Deadlines engine, int number, long nowNanos) {
    engine.opened(flow(number), PATH, 200_000, nowNanos);
  }

  /** The first two flows begin, and the queue is as long as K. */
  private void bothSendThroughALongQueue() {
    open(deadlines, 1, 0);
    open(deadlines, 2, 0);
    deadlines.queue(PORT, 30 * SEGMENT, 0);
    deadlines.tick(0);
  }

  /** The windows of the first two flows. */
  private void expectSegments(long first, long second) {
    assertThat(windows)
        .containsEntry(flow(1), first * SEGMENT)
        .containsEntry(flow(2), second * SEGMENT);
  }

  private Registration register(int number, long bytes, long dueNanos, long nowNanos) {
    return deadlines.register(flow(number), bytes, dueNanos, PATH, 200_000, false, nowNanos);
  }

  @Test
  void uncongestedFlowMayFillItsPath() {
    open(deadlines, 1, 0);
    deadlines.tick(0);
    // What it is allowed beyond that could not be taken back before it has been sent.
    assertThat(windows).containsExactly(Map.entry(flow(1), 50L * SEGMENT));
    deadlines.progressed(flow(1), 1000, 150_000, MILLI);
    deadlines.tick(MILLI);
    assertThat(windows).containsEntry(flow(1), 45L * SEGMENT);
  }

  @Test
  void sedLimitsNoFlowWithoutCongestion() {
    Deadlines printed = deadlines(DeadlineParameters.DEFAULTS.withWindows(WindowScheme.SED));
    open(printed, 1, 0);
    printed.tick(0);
    assertThat(windows).containsExactly(Map.entry(flow(1), WindowGrant.RELEASED));
  }

  @Test
  void flowWithUnknownPathIsNotLimited() {
    deadlines.opened(flow(1), List.of(), 200_000, 0);
    deadlines.tick(0);
    assertThat(windows).containsExactly(Map.entry(flow(1), WindowGrant.RELEASED));
  }

  /**
   * By what it has been allowed it would be through; a single segment would wait for its answer.
   */
  @Test
  void lastBytesHaveAWindowOfTwoSegments() {
    register(1, 100_000, 10 * MILLI, 0);
    bothSendThroughALongQueue();
    deadlines.progressed(flow(1), 97_000, 0, MILLI);
    deadlines.tick(2 * MILLI);
    expectSegments(2, 48);
  }

  /** 500 KB in 35.6 of 40 ms: 14 MB/s of 100. What is reserved and not used is lost for others. */
  @Test
  void noMoreIsReservedThanKeepsThePromise() {
    Deadlines late =
        new Deadlines(
            grant -> {},
            DeadlineParameters.DEFAULTS.withSegmentBytes(SEGMENT).withLatencyNanos(11 * MILLI));
    late.putPort(PORT, 100e6, 30 * SEGMENT, 200_000);
    assertThat(late.register(flow(1), 500_000, 40 * MILLI, PATH, 200_000, false, 0).id())
        .isPresent();
    open(late, 1, 0);
    late.rates(0, (flow, port, rate) -> assertThat(rate).isBetween(14.0e6, 14.1e6));
    late.progressed(flow(1), 250_000, 200_000, 20 * MILLI);
    late.rates(20 * MILLI, (flow, port, rate) -> assertThat(rate).isBetween(16.0e6, 16.1e6));
    // It is behind, as far as is known: more is needed, but not all there is.
    late.rates(25 * MILLI, (flow, port, rate) -> assertThat(rate).isBetween(23.5e6, 23.7e6));
  }

  @Test
  void flowsWithoutDeadlinesShareTheTotalWindowEvenly() {
    bothSendThroughALongQueue();
    expectSegments(25, 25);
  }

  @Test
  void earliestDeadlineGetsItsUsableWindowAndOthersTheirBaseWindow() {
    register(1, 100_000, 10 * MILLI, 0);
    bothSendThroughALongQueue();
    expectSegments(48, 2);
  }

  @Test
  void allRequiredWindowsAreGrantedBeforeSpareCapacity() {
    // 9 ms are left for 180 KB but for the margin of two round trips: 10 segments per round trip.
    register(1, 160_000, 9 * MILLI, 0);
    register(2, 200_000, 11 * MILLI, 0);
    bothSendThroughALongQueue();
    expectSegments(40, 10);
  }

  /** 100 KB in 10 ms: of 9 ms 5.6 segments a round trip; of half of 10, less 1, 12.5. */
  @Test
  void flowWithMuchLaterDeadlineYieldsToTheEarlierOne() {
    register(1, 100_000, 10 * MILLI, 0);
    register(2, 1_600_000, 20 * MILLI, 0);
    bothSendThroughALongQueue();
    expectSegments(13, 37);
  }

  /** It needs 1.6 MB in 19 ms, 42.1 segments a round trip; what is spare is the earlier one's. */
  @Test
  void flowWithSlightlyLaterDeadlineDoesNotYield() {
    register(1, 100_000, 10 * MILLI, 0);
    register(2, 1_600_000, 20 * MILLI - 1, 0);
    bothSendThroughALongQueue();
    expectSegments(7, 43);
  }

  /**
   * The first aims at 5 ms from its start on, and at 7.5 ms when it is late for that: 40 KB in 2 ms
   * less 1 are 20 segments a round trip, in 2.5 less 1 they are 14.
   */
  @Test
  void targetCompletionDoesNotRecedeWithTime() {
    register(1, 100_000, 10 * MILLI, 0);
    register(2, 1_600_000, 20 * MILLI, 0);
    bothSendThroughALongQueue();
    deadlines.progressed(flow(1), 60_000, 0, 3 * MILLI);
    deadlines.progressed(flow(2), 200_000, 0, 3 * MILLI);
    deadlines.tick(3 * MILLI);
    deadlines.tick(3 * MILLI); // Windows grow when others have come down.
    expectSegments(20, 30);
    deadlines.progressed(flow(1), 60_000, 0, 5 * MILLI);
    deadlines.progressed(flow(2), 300_000, 0, 5 * MILLI);
    deadlines.tick(5 * MILLI);
    deadlines.tick(5 * MILLI);
    expectSegments(14, 36);
  }

  @Test
  void windowsGrowOnlyAfterOthersHaveShrunk() {
    open(deadlines, 1, 0);
    deadlines.queue(PORT, 30 * SEGMENT, 0);
    deadlines.tick(0);
    assertThat(windows).containsEntry(flow(1), 50L * SEGMENT);
    register(2, 1_000_000, 30 * MILLI, MILLI);
    open(deadlines, 2, MILLI);
    deadlines.tick(MILLI);
    expectSegments(2, 2); // The most urgent one does not stand still.
    deadlines.tick(2 * MILLI);
    assertThat(windows).containsEntry(flow(2), 48L * SEGMENT);
  }

  @Test
  void manyInitialWindowsAreCongestionBeforeTheQueueGrows() {
    for (int i = 1; i <= 6; i++) {
      open(deadlines, i, 0);
    }
    deadlines.tick(0);
    assertThat(deadlines.isCongested(PORT)).isTrue();
    assertThat(windows.values())
        .containsExactlyInAnyOrder(8000L, 8000L, 8000L, 8000L, 9000L, 9000L);
  }

  /** T_win is 50 segments. */
  @Test
  void expectedFlowsStartWithEqualPartsOfThePortsTotalWindow() {
    register(1, 400_000, 500 * MILLI, 0);
    deadlines.tick(0);
    assertThat(windows).containsEntry(flow(1), 10L * SEGMENT);
    for (int i = 2; i <= 6; i++) {
      register(i, 400_000, 500 * MILLI, 0);
    }
    deadlines.tick(0);
    assertThat(windows.values()).hasSize(6).containsOnly(8L * SEGMENT);
    deadlines.remove(1, 0);
    assertThat(windows).containsEntry(flow(1), WindowGrant.RELEASED);
    deadlines.tick(0);
    assertThat(windows).containsEntry(flow(2), 10L * SEGMENT);
    for (int i = 7; i <= 52; i++) {
      register(i, 400, 500 * MILLI, 0);
    }
    deadlines.tick(0);
    // Two segments for those that have more than one to send, as long as there are any.
    for (int i = 2; i <= 52; i++) {
      long segments = i <= 6 ? 2 : i <= 46 ? 1 : 0;
      assertThat(windows).containsEntry(flow(i), segments * SEGMENT);
    }
  }

  /** Each may have what fills the port: two of them would put K into the queue, six its buffer. */
  @Test
  void deadlineFlowBesideOthersIsCongestionBeforeTheQueueGrows() {
    open(deadlines, 1, 0);
    deadlines.tick(0);
    register(2, 400_000, 50 * MILLI, 0);
    open(deadlines, 2, 0);
    deadlines.tick(0);
    assertThat(deadlines.isCongested(PORT)).isTrue();
    // Ten segments of the first are still in transit.
    expectSegments(2, 40);
    deadlines.tick(MILLI);
    expectSegments(2, 48);
  }

  @Test
  void flowsWithoutDeadlinesContendAmongThemselves() {
    open(deadlines, 1, 0);
    open(deadlines, 2, 0);
    deadlines.tick(0);
    assertThat(deadlines.isCongested(PORT)).isFalse();
  }

  @Test
  void singleDeadlineFlowIsNotCongestion() {
    register(1, 400_000, 50 * MILLI, 0);
    open(deadlines, 1, 0);
    deadlines.tick(0);
    assertThat(deadlines.isCongested(PORT)).isFalse();
  }

  @Test
  void smallFlowsAreNotABurst() {
    for (int i = 1; i <= 6; i++) {
      register(i, 2000, 50 * MILLI, 0);
      open(deadlines, i, 0);
    }
    deadlines.tick(0);
    assertThat(deadlines.isCongested(PORT)).isFalse();
  }

  @Test
  void congestionEndsAfterTenShortRoundTripsWithoutDeadlines() {
    open(deadlines, 1, 0);
    deadlines.queue(PORT, 30 * SEGMENT, 0);
    deadlines.tick(0);
    deadlines.queue(PORT, 14 * SEGMENT, MILLI);
    deadlines.tick(MILLI + 900_000);
    assertThat(deadlines.isCongested(PORT)).isTrue();
    deadlines.tick(2 * MILLI);
    assertThat(deadlines.isCongested(PORT)).isFalse();
    assertThat(windows).containsEntry(flow(1), 50L * SEGMENT);
  }

  @Test
  void congestionLastsWhileWaitingFlowsTogetherExceedThePort() {
    for (int i = 1; i <= 8; i++) {
      register(i, 20_000, 10 * MILLI, 0);
      open(deadlines, i, 0);
    }
    deadlines.queue(PORT, 30 * SEGMENT, 0);
    deadlines.tick(0);
    deadlines.queue(PORT, 0, MILLI);
    // All are late: eight times ten segments wait, and T_win is 50.
    deadlines.tick(11 * MILLI);
    deadlines.tick(30 * MILLI);
    assertThat(deadlines.isCongested(PORT)).isTrue();
    for (int i = 1; i <= 3; i++) {
      deadlines.progressed(flow(i), 20_000, 0, 30 * MILLI);
    }
    deadlines.tick(33 * MILLI);
    assertThat(deadlines.isCongested(PORT)).isFalse();
  }

  @Test
  void idleConnectionsDoNotKeepAPortCongested() {
    for (int i = 1; i <= 8; i++) {
      open(deadlines, i, 0);
    }
    deadlines.queue(PORT, 30 * SEGMENT, 0);
    deadlines.tick(0);
    for (int i = 1; i <= 8; i++) {
      deadlines.progressed(flow(i), 1000, 0, 3 * MILLI);
    }
    deadlines.tick(4 * MILLI);
    assertThat(deadlines.isCongested(PORT)).isTrue();
    deadlines.tick(6 * MILLI);
    assertThat(deadlines.isCongested(PORT)).isFalse();
  }

  /** Base windows for all of them would be more than T_win, and more than the port carries. */
  @Test
  void pausedConnectionsReleaseWindowsAndCapacity() {
    for (int i = 1; i <= 60; i++) {
      open(deadlines, i, 0);
      deadlines.progressed(flow(i), 1000, 0, MILLI);
    }
    deadlines.tick(IdleFlows.IDLE_NANOS);
    assertThat(register(61, 400_000, 900 * MILLI, IdleFlows.IDLE_NANOS).admission().isAccepted())
        .isFalse();
    long later = IdleFlows.IDLE_NANOS + MILLI;
    deadlines.tick(later);
    assertThat(register(61, 400_000, 900 * MILLI, later).admission().isAccepted()).isTrue();
    open(deadlines, 61, later);
    deadlines.queue(PORT, 30 * SEGMENT, later);
    deadlines.tick(later);
    assertThat(windows).containsEntry(flow(61), 50L * SEGMENT).containsEntry(flow(1), 2L * SEGMENT);
    deadlines.progressed(flow(1), 3000, 0, later);
    deadlines.tick(later);
    assertThat(windows).containsEntry(flow(61), 48L * SEGMENT);
  }

  /**
   * 40 flows with base windows of two segments hold 160 MB/s of 100: nothing is left to promise.
   * Where the law shares the port they need none.
   */
  @Test
  void flowsThatTheLawLimitsHaveNoWindowsWhereItSharesThePort() {
    for (int number = 2; number <= 41; number++) {
      open(deadlines, number, 0);
    }
    deadlines.queue(PORT, 30 * SEGMENT, 0);
    deadlines.tick(0);
    assertThat(windows).containsEntry(flow(2), 2L * SEGMENT);
    assertThat(register(1, 500_000, 40 * MILLI, 0).admission().isAccepted()).isFalse();
    deadlines.setShared(PORT, true);
    deadlines.tick(MILLI);
    assertThat(windows).containsEntry(flow(2), 50L * SEGMENT);
    assertThat(register(1, 500_000, 40 * MILLI, MILLI).admission().isAccepted()).isTrue();
    deadlines.setShared(PORT, false); // Its control has ended.
    deadlines.queue(PORT, 30 * SEGMENT, 2 * MILLI);
    deadlines.tick(2 * MILLI);
    assertThat(windows).containsEntry(flow(2), 2L * SEGMENT);
  }

  /** What is promised is let through for a source, not for a flow. */
  @Test
  void siblingsOfAPromisedFlowHaveWindowsAsLongAsItSends() {
    open(deadlines, 2, 0);
    FlowKey sibling = FlowKey.of(flow(2).source(), 1001, flow(2).destination(), 80);
    deadlines.setShared(PORT, true);
    deadlines.register(sibling, 500_000, 40 * MILLI, PATH, 200_000, false, 0);
    deadlines.queue(PORT, 30 * SEGMENT, 0);
    deadlines.tick(0);
    assertThat(windows).containsEntry(flow(2), 50L * SEGMENT);
    deadlines.opened(sibling, PATH, 200_000, MILLI);
    deadlines.tick(MILLI);
    assertThat(windows).containsEntry(flow(2), 2L * SEGMENT);
    deadlines.closed(sibling, 2 * MILLI);
    deadlines.tick(2 * MILLI);
    assertThat(windows).containsEntry(flow(2), 50L * SEGMENT);
  }

  /** First windows of many fill a queue before the law knows them. */
  @Test
  void newcomersHaveWindowsUntilTheLawKnowsThem() {
    Deadlines late =
        new Deadlines(
            grant -> windows.put(grant.flow(), grant.windowBytes()),
            DeadlineParameters.DEFAULTS.withSegmentBytes(SEGMENT).withLatencyNanos(11 * MILLI));
    late.putPort(PORT, 100e6, 30 * SEGMENT, 200_000);
    late.setShared(PORT, true);
    for (int number = 1; number <= 40; number++) {
      open(late, number, 0);
    }
    late.tick(0);
    assertThat(windows).containsEntry(flow(40), 2L * SEGMENT);
    late.tick(11 * MILLI);
    assertThat(windows).containsEntry(flow(40), 50L * SEGMENT);
  }

  @Test
  void connectionWithAClosedWindowIsNotPaused() {
    register(1, 20_000_000, 300 * MILLI, 0);
    deadlines.register(flow(2), 900_000, 11 * MILLI, PATH, 200_000, true, 0);
    bothSendThroughALongQueue();
    for (long now = MILLI; now <= 2 * IdleFlows.IDLE_NANOS; now += MILLI) {
      deadlines.queue(PORT, 30 * SEGMENT, now);
      deadlines.progressed(flow(1), now / MILLI, 0, now);
      deadlines.tick(now);
    }
    assertThat(windows).containsEntry(flow(2), 0L);
    deadlines.closed(flow(1), 2 * IdleFlows.IDLE_NANOS);
    deadlines.tick(2 * IdleFlows.IDLE_NANOS);
    assertThat(windows).containsEntry(flow(2), 50L * SEGMENT);
  }

  @Test
  void congestionLastsWhileADeadlineFlowSends() {
    register(1, 1_000_000, 100 * MILLI, 0);
    open(deadlines, 1, 0);
    deadlines.queue(PORT, 30 * SEGMENT, 0);
    deadlines.tick(0);
    deadlines.tick(50 * MILLI);
    assertThat(deadlines.isCongested(PORT)).isTrue();
  }

  @Test
  void flowDeliveredInTimeIsMetAndContinuesWithoutDeadline() {
    register(1, 100_000, 10 * MILLI, 0);
    open(deadlines, 1, 0);
    deadlines.progressed(flow(1), 100_000, 0, 5 * MILLI);
    assertThat(deadlines.ended().count(FlowOutcome.MET)).isEqualTo(1);
    deadlines.queue(PORT, 30 * SEGMENT, 5 * MILLI);
    deadlines.tick(5 * MILLI);
    // It sends more than it declared: as a flow without a deadline, it has the port to itself.
    assertThat(windows).containsEntry(flow(1), 50L * SEGMENT);
  }

  @Test
  void lateFlowIsMissedAndDemoted() {
    register(1, 100_000, 10 * MILLI, 0);
    open(deadlines, 1, 0);
    deadlines.tick(10 * MILLI);
    assertThat(deadlines.registrations()).isEmpty();
    deadlines.progressed(flow(1), 100_000, 0, 11 * MILLI);
    assertThat(deadlines.ended().count(FlowOutcome.MISSED)).isEqualTo(1);
    assertThat(deadlines.ended().latest(10)).hasSize(1);
  }

  @Test
  void lateFlowIsStoppedWithExpiredDrop() {
    Deadlines dropping =
        deadlines(DeadlineParameters.DEFAULTS.withExpired(DeadlineParameters.Expired.DROP));
    dropping.register(flow(1), 100_000, 10 * MILLI, PATH, 200_000, false, 0);
    open(dropping, 1, 0);
    dropping.tick(10 * MILLI);
    assertThat(windows).containsEntry(flow(1), 0L);
  }

  @Test
  void flowThatNeverSendsExpiresAtItsDeadline() {
    register(1, 100_000, 10 * MILLI, 0);
    deadlines.tick(10 * MILLI);
    assertThat(deadlines.ended().count(FlowOutcome.NEVER_SENT)).isEqualTo(1);
    assertThat(register(1, 100_000, 30 * MILLI, 11 * MILLI).id()).isPresent();
  }

  @Test
  void sameFlowCannotBeRegisteredTwice() {
    register(1, 100_000, 10 * MILLI, 0);
    assertThatThrownBy(() -> register(1, 5000, 20 * MILLI, 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("10.0.0.1:1000 -> 10.0.0.200:80 is registered already");
    open(deadlines, 1, 0);
    assertThatThrownBy(() -> register(1, 5000, 20 * MILLI, 0))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void bytesSentBeforeRegistrationCount() {
    open(deadlines, 1, 0);
    deadlines.progressed(flow(1), 60_000, 0, MILLI);
    register(1, 100_000, 10 * MILLI, MILLI);
    deadlines.progressed(flow(1), 100_000, 0, 2 * MILLI);
    assertThat(deadlines.ended().count(FlowOutcome.MET)).isEqualTo(1);
  }

  /** It would be 4 of 95 MB/s, and is no longer: 940 KB in 10 ms are 94. */
  @Test
  void connectionIsAdmittedWithoutItsOwnBaseWindow() {
    open(deadlines, 1, 0);
    deadlines.progressed(flow(1), 1000, 0, MILLI);
    assertThat(register(1, 941_000, 11 * MILLI, MILLI).admission().isAccepted()).isTrue();
  }

  @Test
  void patternMatchesOnlyTheNextConnection() {
    FlowKey pattern = FlowKey.of(IpAddress.parse("10.0.0.1"), 0, IpAddress.parse("10.0.0.200"), 80);
    deadlines.register(pattern, 100_000, 10 * MILLI, PATH, 200_000, false, 0);
    open(deadlines, 1, 0);
    deadlines.opened(
        FlowKey.of(IpAddress.parse("10.0.0.1"), 1001, IpAddress.parse("10.0.0.200"), 80),
        PATH,
        200_000,
        0);
    deadlines.progressed(flow(1), 100_000, 0, MILLI);
    assertThat(deadlines.ended().latest(10))
        .singleElement()
        .satisfies(entry -> assertThat(entry.flow().key()).isEqualTo(pattern));
  }

  /**
   * Else its connection would have no window at all for a moment, and that cannot be taken back.
   */
  @Test
  void patternKeepsItsWindowUntilItsConnectionHasOne() {
    FlowKey pattern = FlowKey.of(IpAddress.parse("10.0.0.1"), 0, IpAddress.parse("10.0.0.200"), 80);
    deadlines.register(pattern, 100_000, 10 * MILLI, PATH, 200_000, false, 0);
    deadlines.tick(0);
    assertThat(windows).containsExactly(Map.entry(pattern, 10L * SEGMENT));
    windows.clear();
    open(deadlines, 1, MILLI);
    assertThat(windows).isEmpty();
    deadlines.tick(MILLI);
    assertThat(windows)
        .containsExactly(
            Map.entry(flow(1), 50L * SEGMENT), Map.entry(pattern, WindowGrant.RELEASED));
  }

  @Test
  void patternLosesItsWindowWithItsConnection() {
    FlowKey pattern = FlowKey.of(IpAddress.parse("10.0.0.1"), 0, IpAddress.parse("10.0.0.200"), 80);
    deadlines.register(pattern, 100_000, 10 * MILLI, PATH, 200_000, false, 0);
    deadlines.tick(0);
    open(deadlines, 1, MILLI);
    deadlines.closed(flow(1), MILLI);
    assertThat(windows).containsEntry(pattern, WindowGrant.RELEASED);
  }

  @Test
  void reregisteredPatternGetsANewWindow() {
    FlowKey pattern = FlowKey.of(IpAddress.parse("10.0.0.1"), 0, IpAddress.parse("10.0.0.200"), 80);
    deadlines.register(pattern, 100_000, 10 * MILLI, PATH, 200_000, false, 0);
    deadlines.tick(0);
    open(deadlines, 1, MILLI);
    windows.clear();
    deadlines.register(pattern, 100_000, 9 * MILLI, PATH, 200_000, false, MILLI);
    assertThat(windows).containsExactly(Map.entry(pattern, WindowGrant.RELEASED));
    windows.clear();
    deadlines.tick(MILLI);
    assertThat(windows)
        .hasSize(2)
        .containsKey(flow(1))
        .hasEntrySatisfying(pattern, bytes -> assertThat(bytes).isPositive());
  }

  @Test
  void reregisteredConnectionLeavesNoPattern() {
    FlowKey pattern = FlowKey.of(IpAddress.parse("10.0.0.1"), 0, IpAddress.parse("10.0.0.200"), 80);
    long id =
        deadlines
            .register(pattern, 100_000, 10 * MILLI, PATH, 200_000, false, 0)
            .id()
            .orElseThrow();
    deadlines.tick(0);
    open(deadlines, 1, MILLI);
    deadlines.remove(id, MILLI);
    windows.clear();
    register(1, 100_000, 9 * MILLI, MILLI);
    deadlines.tick(MILLI);
    assertThat(windows).containsEntry(pattern, WindowGrant.RELEASED).containsKey(flow(1));
  }

  @Test
  void flowThatBeginsLaterCountsFromItsBegin() {
    AdmissionSnapshot now = deadlines.snapshot(0);
    AdmissionSnapshot.Query question = deadlines.question(now, flow(1), 950_000, PATH, 0);
    long due = 30 * MILLI; // It needs 10.6 ms.
    assertThat(now.decide(question.beginningAt(20 * MILLI), due, false).isAccepted()).isFalse();
    assertThat(now.decide(question.beginningAt(19 * MILLI), due, false).isAccepted()).isTrue();
    deadlines.admit(1, flow(1), 950_000, due, PATH, 0, true, 0);
    deadlines.expectBeginning(1, 19 * MILLI);
    AdmissionSnapshot then = deadlines.snapshot(0);
    AdmissionSnapshot.Query beside = deadlines.question(then, flow(2), 100_000, PATH, 0);
    assertThat(then.decide(beside.beginningAt(19 * MILLI), due, false).isAccepted()).isFalse();
    assertThat(register(3, 1_500_000, 19 * MILLI, 0).admission().isAccepted()).isTrue();
  }

  @Test
  void infeasibleDeadlineIsRejectedWithTheEarliestFeasibleOne() {
    // 95 MB/s: 950 KB take 10 ms, from 0.4 ms and one doubling of the window on.
    Registration refused = register(1, 950_000, 10 * MILLI, 0);
    assertThat(refused.id()).isEmpty();
    assertThat(refused.admission().earliestNanos().getAsLong()).isBetween(10_600_000L, 10_800_000L);
    assertThat(register(1, 950_000, 10_800_000, 0).admission().isAccepted()).isTrue();
  }

  @Test
  void admissionIsKeptWhenANewFlowArrives() {
    register(1, 950_000, 11 * MILLI, 0);
    Registration sooner = register(2, 475_000, 8 * MILLI, 0);
    assertThat(sooner.admission().isAccepted()).isFalse();
    assertThat(sooner.admission().earliestNanos().getAsLong()).isBetween(15_500_000L, 15_900_000L);
  }

  /** 400 us of round trips and a doubling before 4 ms of sending; 0.5 ms more are too much. */
  @Test
  void connectionWithoutProgressStillHasItsSlowStartAhead() {
    register(1, 380_000, 5 * MILLI, 0);
    open(deadlines, 1, 0);
    assertThat(register(2, 47_500, 5 * MILLI, 0).admission().isAccepted()).isFalse();
    deadlines.progressed(flow(1), SEGMENT, 0, MILLI / 10);
    assertThat(register(2, 47_500, 5 * MILLI, MILLI / 10).admission().isAccepted()).isTrue();
  }

  @Test
  void forcedFlowRanksBehindAdmittedFlows() {
    register(1, 950_000, 11 * MILLI, 0);
    deadlines.register(flow(2), 475_000, 8 * MILLI, PATH, 200_000, true, 0);
    bothSendThroughALongQueue();
    // The first needs 950 KB / 10 ms x 500 us, and the second has to do with what that leaves.
    expectSegments(48, 2);
  }

  @Test
  void sedGivesSpareWindowToFlowsWithoutDeadlines() {
    Deadlines printed = deadlines(DeadlineParameters.DEFAULTS.withWindows(WindowScheme.SED));
    printed.register(flow(1), 100_000, 10 * MILLI, PATH, 200_000, false, 0);
    open(printed, 1, 0);
    open(printed, 2, 0);
    printed.queue(PORT, 30 * SEGMENT, 0);
    printed.tick(0);
    // 100 KB in 10 ms over 200 us are 2 segments; base 1, the rest of 50.
    expectSegments(2, 48);
  }

  @Test
  void invalidArgumentsAreRejectedByName() {
    assertThatThrownBy(() -> register(1, 0, MILLI, 0)).hasMessageContaining("size");
    assertThatThrownBy(() -> register(1, 10, 0, 5)).hasMessageContaining("deadline");
    assertThatThrownBy(() -> deadlines.putPort(PORT, 0, 1, 1)).hasMessageContaining("capacity");
  }

  @Test
  void closedConnectionReleasesItsWindow() {
    bothSendThroughALongQueue();
    deadlines.closed(flow(1), MILLI);
    deadlines.tick(MILLI);
    assertThat(windows)
        .containsEntry(flow(1), WindowGrant.RELEASED)
        .containsEntry(flow(2), 50L * SEGMENT);
  }

  @Test
  void firstFlowsGoFirstWhereThereIsLessThanASegmentEach() {
    for (int i = 1; i <= 60; i++) {
      register(i, 20_000, 50 * MILLI, 0);
      open(deadlines, i, 0);
    }
    deadlines.queue(PORT, 30 * SEGMENT, 0);
    deadlines.tick(0);
    deadlines.queue(PORT, 30 * SEGMENT, 50 * MILLI);
    deadlines.tick(50 * MILLI); // All are late now, and none has a base window.
    deadlines.tick(51 * MILLI);
    assertThat(windows.values()).filteredOn(window -> window == SEGMENT).hasSize(50);
    assertThat(windows.values()).filteredOn(window -> window == 0).hasSize(10);
  }
}

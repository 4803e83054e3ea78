// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.Loss;
import org.sluice.api.link.LossAnswer;
import org.sluice.api.link.Resend;
import org.sluice.engine.law.DeadlineParameters;
import org.sluice.engine.law.WindowScheme;

/** A port with K = 30 segments of 1000 bytes and a round trip of 200 us; reports take 1 ms. */
class LossAnswersTest {
  private static final PortId PORT = PortId.of("of:0000000000000001", 1);
  private static final List<PortId> PATH = List.of(PORT);
  private static final int SEGMENT = 1000;
  private static final long MICRO = 1000;
  private static final long MILLI = 1000 * MICRO;
  private static final long BASE = 200 * MICRO;

  /** With the queue at K, which takes 300 us to drain. */
  private static final long ROUND_TRIP = 500 * MICRO;

  private final List<LossAnswer> answers = new ArrayList<>();
  private final List<Resend> resends = new ArrayList<>();
  private final Deadlines deadlines =
      new Deadlines(
          grant -> {},
          DeadlineParameters.DEFAULTS.withSegmentBytes(SEGMENT).withLatencyNanos(MILLI));
  private final LossAnswers losses =
      new LossAnswers(
          deadlines,
          new LossSink() {
            @Override
            public void answer(LossAnswer answer) {
              answers.add(answer);
            }

            @Override
            public void resend(Resend resend) {
              resends.add(resend);
            }
          });

  LossAnswersTest() {
    deadlines.putPort(PORT, 100e6, 30 * SEGMENT, BASE);
  }

  private void asPrinted() {
    deadlines.setParameters(
        DeadlineParameters.DEFAULTS
            .withWindows(WindowScheme.SED)
            .withSegmentBytes(SEGMENT)
            .withLatencyNanos(MILLI));
  }

  private static FlowKey flow(int number) {
    return FlowKey.of(IpAddress.parse("10.0.0." + number), 1000, IpAddress.parse("10.0.0.200"), 80);
  }

  /** A flow that has just begun: ten segments are in transit. */
  private void open(int number) {
    deadlines.opened(flow(number), PATH, BASE, 0);
  }

  /** A flow whose window has been a segment for long. */
  private void openNarrow(int number) {
    open(number);
    GifRow row = deadlines.row(flow(number));
    row.setWindow(SEGMENT, 0);
    row.setWindow(0, 0);
    row.setWindow(SEGMENT, 0);
  }

  private void lose(int number, long sequence, long kept, long nowNanos) {
    losses.lost(Loss.of(PORT, flow(number), sequence, SEGMENT, kept), nowNanos);
    losses.tick(nowNanos);
  }

  private static LossAnswer answer(int number, long sequence, int segments) {
    return LossAnswer.of(flow(number), sequence, segments * SEGMENT);
  }

  @Test
  void keptPacketIsRetransmitted() {
    open(1);
    lose(1, 7000, 5, MILLI);
    assertThat(answers).isEmpty();
    assertThat(resends).containsExactly(Resend.of(PORT, 5));
  }

  @Test
  void rsedRequestsDuplicateAcksForASourceWithDataBeyondTheHole() {
    asPrinted();
    open(1);
    lose(1, 7000, 5, MILLI);
    assertThat(answers).containsExactly(answer(1, 7000, 1));
    assertThat(resends).isEmpty();
  }

  @Test
  void rsedRetransmitsThePacketWhereTheWindowEndsAtTheHole() {
    asPrinted();
    openNarrow(1);
    lose(1, 7000, 5, MILLI);
    assertThat(answers).isEmpty();
    assertThat(resends).containsExactly(Resend.of(PORT, 5));
  }

  @Test
  void rsedRetransmitsTheEndOfAFlow() {
    asPrinted();
    deadlines.register(flow(1), 20 * SEGMENT, 50 * MILLI, PATH, BASE, false, 0);
    open(1);
    deadlines.progressed(flow(1), 19 * SEGMENT, 0, MILLI);
    lose(1, 19 * SEGMENT, 5, MILLI);
    assertThat(answers).isEmpty();
    assertThat(resends).containsExactly(Resend.of(PORT, 5));
  }

  @Test
  void packetIsRetransmittedOnceTheQueueIsBelowTheThreshold() {
    openNarrow(1);
    deadlines.queue(PORT, 30 * SEGMENT, MILLI);
    lose(1, 7000, 5, MILLI);
    losses.tick(MILLI + ROUND_TRIP - 1);
    assertThat(resends).isEmpty();
    deadlines.queue(PORT, 30 * SEGMENT - 1, MILLI + ROUND_TRIP - 1);
    losses.tick(MILLI + ROUND_TRIP - 1);
    assertThat(resends).hasSize(1);
  }

  @Test
  void packetIsRetransmittedOnceTheQueueAheadHasDrained() {
    openNarrow(1);
    deadlines.queue(PORT, 100 * SEGMENT, MILLI); // That takes 1 ms, and 200 us to come round.
    lose(1, 7000, 5, MILLI);
    losses.tick(MILLI + MILLI + BASE - 1);
    assertThat(resends).isEmpty();
    losses.tick(MILLI + MILLI + BASE);
    assertThat(resends).hasSize(1);
  }

  @Test
  void repeatedlyLostPacketIsRetransmittedAgain() {
    asPrinted();
    openNarrow(1);
    lose(1, 7000, 5, MILLI);
    losses.tick(MILLI + ROUND_TRIP);
    lose(1, 7000, 6, MILLI + ROUND_TRIP);
    losses.tick(2 * MILLI + 3 * ROUND_TRIP);
    losses.tick(9 * MILLI);
    assertThat(resends).extracting(Resend::kept).containsExactly(5L, 6L);
    assertThat(answers).isEmpty();
  }

  @Test
  void packetLostTwiceIsRetransmittedOnce() {
    asPrinted();
    open(1);
    lose(1, 7000, 5, MILLI);
    assertThat(answers).hasSize(1);
    lose(1, 7000, 6, 2 * MILLI); // As its sender sent it again.
    losses.tick(9 * MILLI);
    losses.tick(19 * MILLI);
    assertThat(resends).extracting(Resend::kept).containsExactly(6L);
    assertThat(answers).hasSize(1);
  }

  @Test
  void discardedPacketIsAnsweredWithDuplicateAcks() {
    openNarrow(1);
    lose(1, 7000, Loss.NOT_KEPT, MILLI);
    assertThat(answers).containsExactly(answer(1, 7000, 1));
  }

  @Test
  void duplicateAcksCoverTheWholeHole() {
    open(1);
    for (long sequence : new long[] {8000, 7000, 10_000}) {
      losses.lost(Loss.of(PORT, flow(1), sequence, SEGMENT, Loss.NOT_KEPT), MILLI);
    }
    losses.tick(MILLI);
    assertThat(answers).containsExactly(answer(1, 7000, 4));
  }

  @Test
  void sequenceNumbersMayWrap() {
    open(1);
    losses.lost(Loss.of(PORT, flow(1), 200, SEGMENT, Loss.NOT_KEPT), MILLI);
    losses.lost(Loss.of(PORT, flow(1), (1L << 32) - 800, SEGMENT, Loss.NOT_KEPT), MILLI);
    losses.acknowledged(flow(1), (1L << 32) - 801);
    losses.tick(MILLI);
    assertThat(answers).containsExactly(answer(1, (1L << 32) - 800, 2));
  }

  @Test
  void flowGetsDuplicateAcksOncePerRoundTrip() {
    open(1);
    lose(1, 7000, Loss.NOT_KEPT, MILLI);
    lose(1, 9000, Loss.NOT_KEPT, MILLI + ROUND_TRIP - 1);
    assertThat(answers).hasSize(1);
    losses.tick(MILLI + ROUND_TRIP);
    assertThat(answers).containsExactly(answer(1, 7000, 1), answer(1, 9000, 1));
  }

  @Test
  void retransmitsOncePerFlowAndRoundTripLowestSequenceFirst() {
    openNarrow(1);
    openNarrow(2);
    lose(1, 8000, 5, MILLI);
    lose(1, 9000, 6, MILLI);
    lose(1, 7000, 7, MILLI);
    lose(2, 7000, 8, MILLI);
    assertThat(resends).extracting(Resend::kept).containsExactly(5L, 8L);
    losses.tick(MILLI + ROUND_TRIP);
    losses.tick(MILLI + 2 * ROUND_TRIP);
    losses.tick(MILLI + 9 * ROUND_TRIP);
    assertThat(resends).extracting(Resend::kept).containsExactly(5L, 8L, 7L, 6L);
    losses.acknowledged(flow(1), 10_000);
    losses.acknowledged(flow(2), 8000);
    losses.tick(MILLI + 10 * ROUND_TRIP);
    assertThat(losses.waiting()).isZero();
  }

  @Test
  void duplicateAcksWithoutEffectAreFollowedByThePacket() {
    asPrinted();
    open(1);
    lose(1, 7000, 5, MILLI);
    deadlines.progressed(flow(1), 7000, 0, MILLI + ROUND_TRIP);
    losses.tick(MILLI + ROUND_TRIP);
    losses.tick(2 * MILLI + 2 * ROUND_TRIP - 1);
    assertThat(resends).isEmpty();
    losses.tick(2 * MILLI + 2 * ROUND_TRIP);
    assertThat(resends).containsExactly(Resend.of(PORT, 5));
    assertThat(answers).hasSize(1);
  }

  @Test
  void deliveredPacketIsNotRetransmitted() {
    asPrinted();
    open(1);
    lose(1, 7000, 5, MILLI);
    lose(1, 9000, 6, MILLI);
    losses.acknowledged(flow(1), 9999);
    losses.tick(9 * MILLI);
    losses.tick(19 * MILLI);
    assertThat(resends).extracting(Resend::kept).containsExactly(6L);
    losses.acknowledged(flow(1), 10_000);
    losses.tick(29 * MILLI);
    assertThat(losses.waiting()).isZero();
  }

  @Test
  void sendersProgressDoesNotMeanThatTheHoleIsFilled() {
    asPrinted();
    open(1);
    lose(1, 57_000, 5, MILLI);
    deadlines.progressed(flow(1), 57_000, 0, MILLI + ROUND_TRIP);
    losses.acknowledged(flow(1), 57_000);
    losses.tick(MILLI + ROUND_TRIP);
    losses.tick(2 * MILLI + 2 * ROUND_TRIP);
    assertThat(resends).extracting(Resend::kept).containsExactly(5L);
  }

  @Test
  void lossAfterARepairIsAnsweredAgain() {
    asPrinted();
    open(1);
    lose(1, 7000, 5, MILLI);
    losses.acknowledged(flow(1), 8000);
    losses.tick(2 * MILLI);
    lose(1, 12_000, 6, 3 * MILLI);
    assertThat(answers).containsExactly(answer(1, 7000, 1), answer(1, 12_000, 1));
    assertThat(resends).isEmpty();
  }

  @Test
  void endedConnectionIsRemoved() {
    openNarrow(1);
    deadlines.queue(PORT, 30 * SEGMENT, MILLI);
    lose(1, 7000, 5, MILLI);
    deadlines.closed(flow(1), MILLI);
    losses.tick(2 * MILLI);
    assertThat(losses.waiting()).isZero();
  }

  @Test
  void lossOlderThanThePacketBufferIsRemoved() {
    openNarrow(1);
    deadlines.queue(PORT, 30 * SEGMENT, MILLI);
    lose(1, 7000, 5, MILLI);
    losses.tick(1001 * MILLI);
    assertThat(losses.waiting()).isZero();
    assertThat(resends).isEmpty();
  }

  @Test
  void packetOfAnUnknownFlowIsRetransmitted() {
    lose(1, 7000, 5, MILLI);
    assertThat(resends).containsExactly(Resend.of(PORT, 5));
  }

  @Test
  void unknownPortsAreIgnored() {
    losses.lost(Loss.of(PortId.of("of:0000000000000001", 2), flow(1), 7000, SEGMENT, 5), MILLI);
    losses.tick(MILLI);
    losses.acknowledged(flow(1), 9000);
    assertThat(losses.losses()).isZero();
    assertThat(losses.waiting()).isZero();
  }
}

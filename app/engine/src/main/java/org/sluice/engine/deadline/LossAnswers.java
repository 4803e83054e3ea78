// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.Loss;
import org.sluice.api.link.LossAnswer;
import org.sluice.api.link.Resend;

/**
 * RSED: what a queue drops is answered for, so that no sender waits for its retransmission timer
 * (section 4 of the paper). A packet of which a copy is kept is sent again by the port that dropped
 * it, once its queue is below K or has passed on all that stood there; of another the source is
 * told by three duplicate acknowledgements. One or the other once per flow and round trip, until
 * the flow's acknowledgements say that the packet has arrived.
 *
 * <p>By the paper's law sources with data beyond the hole on their way are told first, and the
 * packet follows if that has moved nothing. It costs half a congestion window, it fails where the
 * last packets of a window are lost, and with selective acknowledgements it has to claim that
 * something beyond the hole has arrived before anybody knows.
 *
 * <p>What a policer or a cap dropped is not to be told here: it was dropped on purpose.
 *
 * <p>Driven like {@link Deadlines}, by the same thread: {@link #tick} after that one's, and after
 * losses have come in.
 */
public final class LossAnswers {
  /** Agents keep packets so long, ns. */
  private static final long KEPT_NANOS = 1_000_000_000L;

  private final Deadlines deadlines;
  private final LossSink sink;
  private final Map<FlowKey, LostFlow> byFlow = new HashMap<>();

  // In the order in which they first lost something, so that all is the same every time.
  private final List<LostFlow> lost = new ArrayList<>();
  private final List<LostFlow> spare = new ArrayList<>();

  private long losses;
  private long answers;
  private long resends;

  /** One that knows of no losses. */
  public LossAnswers(Deadlines deadlines, LossSink sink) {
    this.deadlines = Objects.requireNonNull(deadlines, "deadlines");
    this.sink = Objects.requireNonNull(sink, "sink");
  }

  /**
   * The queue of a port had no room for a packet. Ports that are not known, which have no K, are
   * passed over.
   */
  public void lost(Loss loss, long nowNanos) {
    DeadlinePort port = deadlines.port(loss.port());
    if (port == null) {
      return;
    }
    losses++;
    LostFlow flow = byFlow.get(loss.flow());
    if (flow == null) {
      flow = spare.isEmpty() ? new LostFlow() : spare.remove(spare.size() - 1);
      flow.begin(loss.flow(), port, deadlines.row(loss.flow()), nowNanos);
      byFlow.put(loss.flow(), flow);
      lost.add(flow);
    }
    flow.add(loss, nowNanos);
  }

  /**
   * All of a flow below a sequence has arrived, so what was lost of that has been repaired.
   *
   * @param sequence TCP's, 0 to 2^32 - 1
   */
  public void acknowledged(FlowKey flow, long sequence) {
    LostFlow known = byFlow.get(flow);
    if (known != null) {
      known.acknowledged((int) sequence);
    }
  }

  /** Answers what may be answered now. */
  public void tick(long nowNanos) {
    int left = 0;
    for (int i = 0; i < lost.size(); i++) {
      LostFlow flow = lost.get(i);
      if (isOver(flow, nowNanos)) {
        byFlow.remove(flow.flow);
        spare.add(flow);
      } else {
        lost.set(left++, flow);
      }
    }
    while (lost.size() > left) {
      lost.remove(lost.size() - 1);
    }
  }

  /** Does what is due for a flow; returns whether there is nothing left to do. */
  private boolean isOver(LostFlow flow, long nowNanos) {
    GifRow row = deadlines.row(flow.flow);
    if (row == null && flow.isKnown) {
      return true; // Its connection has ended.
    }
    if (row != null) {
      flow.delivered(row.deliveredBytes, nowNanos);
    }
    // Not the latest one: of a packet that was sent again it is as long as that took.
    double roundTrip =
        flow.port.queueNanos()
            + (row == null ? flow.port.roundTripNanos() : row.baseRoundTripNanos);
    if (flow.sinceActedNanos(nowNanos) < roundTrip) {
      return false; // Whatever it loses meanwhile has to wait.
    }
    if (flow.isEmpty() || flow.ageNanos(nowNanos) >= KEPT_NANOS || hasArrived(row)) {
      return true;
    }
    LostPacket lowest = flow.lowest();
    if (lowest == null) {
      return false; // Copies of all are on their way.
    }
    if (flow.isAnyUnkept() || isToBeAnswered(flow, lowest, row)) {
      answer(flow, lowest, nowNanos);
    } else if (mayHaveRoom(flow, lowest, roundTrip, nowNanos)
        && !isToWait(flow, roundTrip, nowNanos)) {
      resend(flow, lowest, nowNanos);
    }
    return false;
  }

  private static boolean hasArrived(GifRow row) {
    return row != null && row.sizeBytes > 0 && row.remainingBytes() == 0;
  }

  /**
   * Whether a packet that is sent again is likely to find room: the queue is below K, or all that
   * stood before the packet when it was dropped has gone. What is lost still counts in its flow's
   * window, so that its place is its own; and where T_win holds more than K in the queue, as one by
   * the paper's equation 3 does, it is below K only when all is over, and timers have expired.
   */
  private static boolean mayHaveRoom(
      LostFlow flow, LostPacket packet, double roundTripNanos, long nowNanos) {
    return flow.port.isBelowThreshold() || flow.waitedNanos(packet, nowNanos) >= roundTripNanos;
  }

  /** Whether an answer has helped shows when news of it could be here. */
  private boolean isToWait(LostFlow flow, double roundTripNanos, long nowNanos) {
    return flow.isAnswered()
        && flow.stalledNanos(nowNanos) < roundTripNanos + deadlines.parameters().latencyNanos();
  }

  /** By the paper's law a source is told first, where that is of use. */
  private boolean isToBeAnswered(LostFlow flow, LostPacket lowest, GifRow row) {
    return deadlines.parameters().isPapersLaw()
        && !flow.isAnswered()
        && hasDataBeyond(flow.spanBytes(lowest), row);
  }

  /**
   * Whether the source can have sent more than lies between its lost packets, by its window and by
   * what it has left. Its host knows for certain, and does nothing where there is none.
   */
  private static boolean hasDataBeyond(int spanBytes, GifRow row) {
    if (row == null) {
      return false;
    }
    long most = row.widestWindowBytes();
    long left = row.sizeBytes > 0 ? Math.min(most, row.remainingBytes()) : most;
    return left > spanBytes;
  }

  private void answer(LostFlow flow, LostPacket lowest, long nowNanos) {
    answers++;
    long first = Integer.toUnsignedLong(lowest.sequence);
    LossAnswer answer = LossAnswer.of(flow.flow, first, flow.spanBytes(lowest));
    flow.answered(nowNanos);
    sink.answer(answer);
  }

  private void resend(LostFlow flow, LostPacket lowest, long nowNanos) {
    resends++;
    flow.sentAgain(lowest, nowNanos);
    sink.resend(Resend.of(flow.port.id, lowest.kept));
  }

  /** Packets that were told of so far. */
  public long losses() {
    return losses;
  }

  /** Answers by duplicate acknowledgements so far. */
  public long answers() {
    return answers;
  }

  /** Packets that were asked for again so far. */
  public long resends() {
    return resends;
  }

  /** Flows with losses that are not answered for yet. */
  public int waiting() {
    return lost.size();
  }
}

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
 * it, once its queue is below K; of another the source is told by three duplicate acknowledgements.
 * One or the other once per flow and round trip.
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
        flow.port.standingNanos()
            + (row == null ? flow.port.roundTripNanos() : row.baseRoundTripNanos);
    if (flow.sinceActedNanos(nowNanos) < roundTrip) {
      return false; // Whatever it loses meanwhile has to wait.
    }
    if (flow.isEmpty() || flow.ageNanos(nowNanos) >= KEPT_NANOS || isRepaired(flow, row)) {
      return true;
    }
    if (flow.isAnyUnkept() || isToBeAnswered(flow, row)) {
      answer(flow, nowNanos);
    } else if (flow.port.isBelowThreshold() && !isToWait(flow, roundTrip, nowNanos)) {
      resend(flow, nowNanos);
    }
    return false;
  }

  /** No sender has more than its window on the way: with so much progress the hole is filled. */
  private boolean isRepaired(LostFlow flow, GifRow row) {
    return row != null
        && (flow.progressBytes()
                > Math.max(deadlines.parameters().firstWindowBytes(), row.widestBytes())
            || row.sizeBytes > 0 && row.remainingBytes() == 0);
  }

  /** Whether an answer has helped shows when news of it could be here. */
  private boolean isToWait(LostFlow flow, double roundTripNanos, long nowNanos) {
    return flow.isAnswered()
        && flow.stalledNanos(nowNanos) < roundTripNanos + deadlines.parameters().latencyNanos();
  }

  /** By the paper's law a source is told first, where that is of use. */
  private boolean isToBeAnswered(LostFlow flow, GifRow row) {
    return deadlines.parameters().isPapersLaw() && !flow.isAnswered() && hasDataBeyond(flow, row);
  }

  /**
   * Whether the source can have sent more than lies between its lost packets, by its window and by
   * what it has left. Its host knows for certain, and does nothing where there is none.
   */
  private static boolean hasDataBeyond(LostFlow flow, GifRow row) {
    if (row == null) {
      return false;
    }
    long most = row.widestBytes();
    long left = row.sizeBytes > 0 ? Math.min(most, row.remainingBytes()) : most;
    return left > flow.spanBytes();
  }

  private void answer(LostFlow flow, long nowNanos) {
    answers++;
    long first = Integer.toUnsignedLong(flow.first());
    LossAnswer answer = LossAnswer.of(flow.flow, first, flow.spanBytes());
    flow.answered(nowNanos);
    sink.answer(answer);
  }

  private void resend(LostFlow flow, long nowNanos) {
    resends++;
    flow.acted(nowNanos);
    sink.resend(Resend.of(flow.port.id, flow.takeLowest()));
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

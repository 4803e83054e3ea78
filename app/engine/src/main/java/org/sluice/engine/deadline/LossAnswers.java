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
import org.sluice.engine.law.RsedLaw;

/**
 * Applies {@link RsedLaw} to all flows that have lost packets.
 *
 * <p>Driven like {@link Deadlines}, by the same thread: {@link #tick} after that one's, and after
 * losses have come in.
 */
public final class LossAnswers {
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
   * The queue of a port had no space for a packet. Ports that are not known, which have no K, are
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
    flow.update(deadlines.row(flow.flow), nowNanos);
    RsedLaw.Step step = RsedLaw.next(flow, deadlines.parameters(), nowNanos);
    if (step == RsedLaw.Step.ANSWER) {
      answer(flow, nowNanos);
    } else if (step == RsedLaw.Step.RESEND) {
      resend(flow, nowNanos);
    }
    return step == RsedLaw.Step.FORGET;
  }

  private void answer(LostFlow flow, long nowNanos) {
    answers++;
    long first = Integer.toUnsignedLong(flow.lowest().sequence);
    LossAnswer answer = LossAnswer.of(flow.flow, first, flow.spanBytes());
    flow.answered(nowNanos);
    sink.answer(answer);
  }

  private void resend(LostFlow flow, long nowNanos) {
    resends++;
    LostPacket lowest = flow.lowest();
    flow.sentAgain(lowest, nowNanos);
    sink.resend(Resend.of(flow.port.id, lowest.kept));
  }

  /** Losses that were reported so far. */
  public long losses() {
    return losses;
  }

  /** Answers by duplicate acknowledgements so far. */
  public long answers() {
    return answers;
  }

  /** Packets that were requested again so far. */
  public long resends() {
    return resends;
  }

  /** Flows with losses that are not answered for yet. */
  public int waiting() {
    return lost.size();
  }
}

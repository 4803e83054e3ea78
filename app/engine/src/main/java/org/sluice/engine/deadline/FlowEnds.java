// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.List;
import java.util.function.Predicate;
import org.sluice.api.deadline.FlowOutcome;
import org.sluice.engine.law.DeadlineParameters;

/** How registrations and connections come to their ends, and what becomes of their windows. */
final class FlowEnds {
  private final FlowTable flows;
  private final GrantPublisher grants;

  FlowEnds(FlowTable flows, GrantPublisher grants) {
    this.flows = flows;
    this.grants = grants;
  }

  /** Its deadline is met, or missed, if all that was declared has arrived. */
  void check(GifRow row, long nowNanos) {
    if (row.isSending() && row.hasDeadline() && row.remainingBytes() == 0) {
      boolean inTime = row.arrivedNanos <= row.deadlineNanos;
      flows.retire(row, inTime ? FlowOutcome.MET : FlowOutcome.MISSED, nowNanos);
    }
    flows.overdue().check(row, nowNanos);
  }

  /** Deadlines that have passed count no longer. */
  void expire(DeadlineParameters parameters, long nowNanos) {
    GifTable gif = flows.gif();
    // Both kinds stand in the order of their deadlines; one that expires stands further back then.
    while (isDue(0, nowNanos)) {
      expire(gif.get(0), parameters.expired(), nowNanos);
    }
    while (isDue(gif.firstNotPromised(), nowNanos)) {
      expire(gif.get(gif.firstNotPromised()), parameters.expired(), nowNanos);
    }
    flows.overdue().giveUp(parameters.latencyNanos(), nowNanos);
  }

  private boolean isDue(int priority, long nowNanos) {
    GifTable gif = flows.gif();
    return priority < gif.size() && gif.get(priority).deadlineNanos <= nowNanos;
  }

  private void expire(GifRow row, DeadlineParameters.Expired becomes, long nowNanos) {
    if (row.isSending()) {
      row.closed = becomes == DeadlineParameters.Expired.DROP;
      flows.expire(row, nowNanos);
    } else {
      flows.retire(row, FlowOutcome.NEVER_SENT, nowNanos);
      grants.release(row);
    }
  }

  /**
   * A registration is taken back; what it sends goes on without a deadline.
   *
   * @return whether there was one
   */
  boolean remove(long id, long nowNanos) {
    GifRow row = flows.registration(id);
    if (row == null) {
      return flows.overdue().remove(id, nowNanos);
    }
    flows.retire(row, FlowOutcome.REMOVED, nowNanos);
    releaseUnlessSending(row);
    return true;
  }

  /** A registration is forgotten without a trace, as if it had never been made. */
  void forget(GifRow row) {
    flows.forget(row);
    releaseUnlessSending(row);
  }

  /** Of one that sends, the next tick publishes the window. */
  private void releaseUnlessSending(GifRow row) {
    if (!row.isSending()) {
      grants.release(row);
    }
  }

  /** A connection has ended. */
  void close(GifRow row, long nowNanos) {
    flows.close(row, nowNanos);
    grants.release(row);
  }

  /** All connections that are meant have ended. */
  void closeThose(Predicate<GifRow> meant, long nowNanos) {
    for (GifRow row : List.copyOf(flows.connections())) {
      if (meant.test(row)) {
        close(row, nowNanos);
      }
    }
  }
}

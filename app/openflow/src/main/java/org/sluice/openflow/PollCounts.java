// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import java.util.concurrent.atomic.LongAdder;

/** What became of the requests to one switch. Thread-safe. */
final class PollCounts {
  private final LongAdder requests = new LongAdder();
  private final LongAdder replies = new LongAdder();
  private final LongAdder timeouts = new LongAdder();
  private final LongAdder refusals = new LongAdder();
  private final LongAdder stale = new LongAdder();
  private final LongAdder messageBytes = new LongAdder();
  private final ReplyTimes times = new ReplyTimes();

  void requested() {
    requests.increment();
  }

  void answered(long nanos) {
    replies.increment();
    times.add(nanos);
  }

  void timedOut() {
    timeouts.increment();
  }

  void refused() {
    refusals.increment();
  }

  void stale() {
    stale.increment();
  }

  void carried(long bytes) {
    messageBytes.add(bytes);
  }

  long requests() {
    return requests.sum();
  }

  long replies() {
    return replies.sum();
  }

  long timeouts() {
    return timeouts.sum();
  }

  /** Requests that the switch answered with an error. */
  long refusals() {
    return refusals.sum();
  }

  /** Replies that came too late or that nobody requested. */
  long staleReplies() {
    return stale.sum();
  }

  /** Of OpenFlow messages in both directions. */
  long messageBytes() {
    return messageBytes.sum();
  }

  ReplyTimes times() {
    return times;
  }
}

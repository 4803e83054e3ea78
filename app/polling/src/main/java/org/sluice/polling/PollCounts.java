// SPDX-License-Identifier: Apache-2.0
package org.sluice.polling;

import java.util.concurrent.atomic.LongAdder;
import org.sluice.api.counters.CounterSource;
import org.sluice.api.counters.SwitchCounters;

/** What became of the requests to one switch. Thread-safe. */
public final class PollCounts {
  private final LongAdder requests = new LongAdder();
  private final LongAdder replies = new LongAdder();
  private final LongAdder timeouts = new LongAdder();
  private final LongAdder refusals = new LongAdder();
  private final LongAdder stale = new LongAdder();
  private final LongAdder messageBytes = new LongAdder();
  private final ReplyTimes times = new ReplyTimes();

  public void requested() {
    requests.increment();
  }

  public void answered(long nanos) {
    replies.increment();
    times.add(nanos);
  }

  public void timedOut() {
    timeouts.increment();
  }

  public void refused() {
    refusals.increment();
  }

  public void stale() {
    stale.increment();
  }

  public void carried(long bytes) {
    messageBytes.add(bytes);
  }

  public long requests() {
    return requests.sum();
  }

  public long replies() {
    return replies.sum();
  }

  public long timeouts() {
    return timeouts.sum();
  }

  /** Requests that the switch answered with an error. */
  public long refusals() {
    return refusals.sum();
  }

  /** Replies that came too late or that nobody requested. */
  public long staleReplies() {
    return stale.sum();
  }

  /** Of OpenFlow messages in both directions. */
  public long messageBytes() {
    return messageBytes.sum();
  }

  /** What a connected switch that is read by requests of its own has come to. */
  public SwitchCounters.Builder status(String datapath) {
    long[] micros = times.quantilesMicros(0.5, 0.99);
    return SwitchCounters.builder(datapath)
        .source(CounterSource.FAST)
        .connected(true)
        .requests(requests())
        .replies(replies())
        .timeouts(timeouts())
        .messageBytes(messageBytes())
        .replyMicrosP50(micros[0])
        .replyMicrosP99(micros[1]);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.ArrayList;
import java.util.List;
import org.sluice.api.deadline.FlowOutcome;

/** The last {@value #CAPACITY} registrations that came to an end. Not thread-safe. */
public final class FlowLog {
  /** How many are kept. */
  public static final int CAPACITY = 10_000;

  private final Entry[] ring = new Entry[CAPACITY];
  private final long[] counts = new long[FlowOutcome.values().length];
  private long next;

  /** A registration and its end. */
  public static final class Entry {
    private final FlowRecord flow;
    private final FlowOutcome outcome;
    private final long endNanos;

    private Entry(FlowRecord flow, FlowOutcome outcome, long endNanos) {
      this.flow = flow;
      this.outcome = outcome;
      this.endNanos = endNanos;
    }

    /** As it was when it ended, or when its deadline had passed. */
    public FlowRecord flow() {
      return flow;
    }

    public FlowOutcome outcome() {
      return outcome;
    }

    public long endNanos() {
      return endNanos;
    }
  }

  void add(FlowRecord flow, FlowOutcome outcome, long endNanos) {
    ring[(int) (next % CAPACITY)] = new Entry(flow, outcome, endNanos);
    next++;
    counts[outcome.ordinal()]++;
  }

  /** How many have ended so, since the beginning. */
  public long count(FlowOutcome outcome) {
    return counts[outcome.ordinal()];
  }

  /** How many have ended since the beginning. */
  public long total() {
    return next;
  }

  /** The latest, the newest first. */
  public List<Entry> latest(int limit) {
    List<Entry> found = new ArrayList<>();
    for (long i = next - 1; i >= Math.max(0, next - CAPACITY) && found.size() < limit; i--) {
      found.add(ring[(int) (i % CAPACITY)]);
    }
    return found;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.notice;

import com.google.auto.value.AutoValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.sluice.api.EndpointId;
import org.sluice.api.PortId;
import org.sluice.api.link.Notice;

/**
 * Notices whose packets are still to be made: at most one for each endpoint and port. A further one
 * joins the one that waits, so that a node that falls behind sends fewer packets instead of older
 * ones, and no mark is lost. Thread-safe.
 */
final class WaitingNotices {
  static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LongSupplier clockNanos;
  private Map<Subject, Due> waiting = new LinkedHashMap<>();
  private long sinceNanos;

  /** What a notice is about. */
  @AutoValue
  abstract static class Subject {
    static Subject of(Notice notice) {
      return new AutoValue_WaitingNotices_Subject(notice.endpoint(), notice.port());
    }

    abstract EndpointId endpoint();

    abstract PortId port();
  }

  /** A notice and the term in which this node decides about its port. */
  static final class Due {
    final long term;
    final Notice notice;

    Due(long term, Notice notice) {
      this.term = term;
      this.notice = notice;
    }

    private Due followedBy(Due later) {
      return later.term == term ? new Due(term, together(notice, later.notice)) : later;
    }
  }

  /**
   * Nothing waits yet.
   *
   * @param clockNanos a clock that does not jump, such as System::nanoTime
   */
  WaitingNotices(LongSupplier clockNanos) {
    this.clockNanos = clockNanos;
  }

  /**
   * Adds notices of one term.
   *
   * @return whether nothing waited before, so that {@link #take} must be called
   */
  synchronized boolean add(long term, List<Notice> notices) {
    boolean isFirst = waiting.isEmpty();
    if (isFirst) {
      sinceNanos = clockNanos.getAsLong();
    }
    for (Notice notice : notices) {
      waiting.merge(Subject.of(notice), new Due(term, notice), Due::followedBy);
    }
    return isFirst && !waiting.isEmpty();
  }

  /** All that wait, those that began to first; none waits afterwards. */
  synchronized List<Due> take() {
    List<Due> taken = new ArrayList<>(waiting.values());
    waiting = new LinkedHashMap<>();
    return taken;
  }

  /** Whether none has been taken for so long that the sender seems to be stuck. */
  synchronized boolean haveWaitedLong() {
    return !waiting.isEmpty() && clockNanos.getAsLong() - sinceNanos > LONG_NANOS;
  }

  /** Two in a row as one: the counts of both periods, and the later one's share and sources. */
  private static Notice together(Notice earlier, Notice later) {
    boolean isKnown = earlier.packets() > 0 && later.packets() > 0;
    return Notice.of(
        later.port(),
        later.endpoint(),
        earlier.marks() + later.marks(),
        earlier.periodNanos() + later.periodNanos(),
        later.shareBitsPerSecond(),
        later.capacityBitsPerSecond(),
        later.destinations(),
        isKnown ? earlier.packets() + later.packets() : 0);
  }
}

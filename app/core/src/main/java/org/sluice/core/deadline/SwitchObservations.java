// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.FlowUpdate;
import org.sluice.engine.deadline.Deadlines;

/**
 * Connections of registered flows where switches report their beginnings and ends. Hosts' news of
 * these count for what was delivered, and as far as a switch may have missed something:
 *
 * <ul>
 *   <li>One whose beginning no switch reported begins when a host reports that something has
 *       arrived.
 *   <li>One that a switch saw end is over when its host says that all was acknowledged, or when
 *       nothing has moved for {@link #QUIET_NANOS}: what ends it may pass before what it carries.
 *   <li>One that its host says is over, and no switch, is over after the same time.
 * </ul>
 *
 * For the engine's thread.
 */
final class SwitchObservations {
  static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final class Seen {
    boolean ended;
    boolean endedSaysHost;
    long movedNanos;
  }

  private final Deadlines deadlines;
  private final Map<FlowKey, Seen> open = new HashMap<>();
  private final Set<FlowKey> ending = new HashSet<>();
  private boolean isActive;
  private long begun;
  private long ended;

  SwitchObservations(Deadlines deadlines) {
    this.deadlines = deadlines;
  }

  /** Whether switches report connections; if not, hosts' word is all. */
  void setActive(boolean value) {
    isActive = value;
    if (!value) {
      clear();
    }
  }

  void clear() {
    open.clear();
    ending.clear();
  }

  /** How many connections switches reported the beginning of. */
  long begun() {
    return begun;
  }

  /** How many connections switches reported the end of. */
  long ended() {
    return ended;
  }

  /** Connections that a switch saw and that are not over. */
  Set<FlowKey> open() {
    return open.keySet();
  }

  /** A switch saw one begin; whether that is news. */
  boolean begins(FlowKey flow, long nowNanos) {
    Seen before = open.get(flow);
    if (!isActive || (before != null && !before.ended && !before.endedSaysHost)) {
      return false; // A SYN that was sent again.
    }
    begun++;
    if (before != null) {
      deadlines.closed(flow, nowNanos);
    }
    boolean known = deadlines.deliveredBytes(flow).isPresent();
    follow(flow, nowNanos);
    return !known; // Else its host was faster.
  }

  private Seen follow(FlowKey flow, long nowNanos) {
    Seen seen = new Seen();
    seen.movedNanos = nowNanos;
    ending.remove(flow);
    open.put(flow, seen);
    return seen;
  }

  /** A switch saw one end. */
  void ends(FlowKey flow, long nowNanos) {
    Seen seen = open.get(flow);
    if (seen == null && isActive && deadlines.deliveredBytes(flow).isPresent()) {
      seen = follow(flow, nowNanos); // Nobody saw its beginning.
    }
    if (seen != null && !seen.ended) {
      ended++;
      seen.ended = true;
      seen.movedNanos = nowNanos;
      ending.add(flow);
    }
  }

  /** What of a host's news is to be taken in. */
  Optional<FlowUpdate> reported(FlowUpdate news, long nowNanos) {
    if (!isActive) {
      return Optional.of(news);
    }
    FlowKey flow = news.flow();
    OptionalLong known = deadlines.deliveredBytes(flow);
    Seen seen = open.get(flow);
    if (seen == null) {
      boolean switchWillReport =
          known.isEmpty() && news.deliveredBytes() == 0 && deadlines.isAwaited(flow);
      return switchWillReport ? Optional.empty() : Optional.of(news);
    }
    if (known.isEmpty() || news.deliveredBytes() > known.getAsLong()) {
      seen.movedNanos = nowNanos;
    }
    if (news.state() == FlowUpdate.State.CLOSED && !seen.endedSaysHost) {
      seen.endedSaysHost = true;
      seen.movedNanos = nowNanos;
      ending.add(flow);
    }
    return Optional.of(news.in(FlowUpdate.State.ESTABLISHED));
  }

  /** Hosts that are away report nothing any more: what was lost with them is forgotten. */
  void forgetLost() {
    open.keySet().removeIf(flow -> deadlines.deliveredBytes(flow).isEmpty());
    ending.retainAll(open.keySet());
  }

  /** Connections that are over, which are forgotten with that. */
  List<FlowKey> over(long nowNanos) {
    List<FlowKey> over = new ArrayList<>();
    for (FlowKey flow : ending) {
      Seen seen = open.get(flow);
      if (seen.ended && seen.endedSaysHost || nowNanos - seen.movedNanos >= QUIET_NANOS) {
        over.add(flow);
      }
    }
    over.forEach(ending::remove);
    over.forEach(open::remove);
    return over;
  }
}

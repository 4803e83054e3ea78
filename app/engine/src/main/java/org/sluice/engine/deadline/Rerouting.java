// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.List;
import java.util.Optional;
import org.sluice.api.PortId;

/**
 * Looks the paths of all flows up again, some at a time, and moves flows to the ports on theirs. A
 * flow whose path is not known at the moment keeps its ports. On the thread of {@link Deadlines}.
 */
public final class Rerouting {
  /** So many look-ups take a part of a millisecond. */
  private static final int AT_ONCE = 500;

  private final Deadlines deadlines;
  private final FlowPathOracle paths;
  private List<GifRow> rows = List.of();
  private int next;
  private AdmissionSnapshot before;
  private boolean again;

  /** Nothing is to be looked up yet. */
  public Rerouting(Deadlines deadlines, FlowPathOracle paths) {
    this.deadlines = deadlines;
    this.paths = paths;
  }

  /** All flows have to be looked up; if that is going on, once more when it is done. */
  public void begin(long nowNanos) {
    if (before != null) {
      again = true;
      return;
    }
    before = deadlines.snapshot(nowNanos);
    rows = deadlines.rows();
    next = 0;
  }

  /**
   * Looks some up.
   *
   * @return when all have been, what could be kept before: compare {@link AdmissionSnapshot#broken}
   *     of that with that of a snapshot of now
   */
  public Optional<AdmissionSnapshot> step(long nowNanos) {
    if (before == null) {
      return Optional.empty();
    }
    for (int end = Math.min(rows.size(), next + AT_ONCE); next < end; next++) {
      GifRow row = rows.get(next);
      Optional<List<PortId>> path = paths.path(row.name());
      path.ifPresent(ports -> deadlines.move(row, ports));
    }
    if (next < rows.size()) {
      return Optional.empty();
    }
    Optional<AdmissionSnapshot> done = Optional.of(before);
    before = null;
    rows = List.of();
    if (again) {
      again = false;
      begin(nowNanos);
    }
    return done;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import org.sluice.engine.law.Demand;
import org.sluice.engine.state.CrossingTable;

/**
 * Finds out, now and then, who would send more if a port had room for it. Who does not wait at its
 * host counts as wanting what it sends, and others have the rest; but a flow of a short round trip
 * or a small window cannot grow into a full port, and does not wait either. For the time of a trial
 * such a source counts as wanting half as much again, and nothing is lent, so that the port's queue
 * is empty. Who has grown meanwhile goes on, until it waits for its share or grows no more.
 */
final class Trial {
  /** Rates are means of 50 ms: within that one that can grow has shown it. */
  private static final long LOOK_NANOS = 60_000_000L;

  private static final long FIRST_NANOS = 500_000_000L;

  /** After one in which somebody has grown: who comes and goes grows in each. */
  private static final long AGAIN_NANOS = 2_000_000_000L;

  /** Where nobody grows trials become as rare as that. */
  private static final long MOST_NANOS = 8_000_000_000L;

  /** Who is tried may take so many times what it sends. */
  static final double ROOM = 1.5;

  /** What its rate must have come to since the last look. */
  private static final double GROWN = 1.1;

  /** Less of a port is not worth it. */
  private static final double LEAST_PART = 0.001;

  private static final long NEVER = Long.MAX_VALUE;

  private boolean isOn;
  private boolean hasGrown;
  private long nextAt = NEVER;
  private long backOffNanos = FIRST_NANOS;

  /** Follows rates that have just been read. */
  void update(PortSources sources, CrossingTable crossings, double capacity, long now) {
    if (nextAt == NEVER) {
      nextAt = now + FIRST_NANOS;
    }
    if (now < nextAt) {
      return;
    }
    if (isOn) {
      look(sources, crossings, now);
    } else {
      begin(sources, crossings, LEAST_PART * capacity, now);
    }
  }

  private void begin(PortSources sources, CrossingTable crossings, double least, long now) {
    boolean isAnyTried = false;
    boolean isAnyWaiting = false;
    for (int i = 0; i < sources.size(); i++) {
      boolean mayGrow =
          sources.demandBitsPerSecond(i) < Demand.GREEDY && sources.rates()[i] > least;
      crossings.triedBitsPerSecond[sources.crossing(i)] = mayGrow ? sources.rates()[i] : 0;
      isAnyTried |= mayGrow;
      isAnyWaiting |= sources.waits(i);
    }
    isOn = isAnyTried && isAnyWaiting;
    hasGrown = false;
    nextAt = now + (isOn ? LOOK_NANOS : FIRST_NANOS);
    if (!isOn) {
      end(sources, crossings);
    }
  }

  private void look(PortSources sources, CrossingTable crossings, long now) {
    boolean goesOn = false;
    for (int i = 0; i < sources.size(); i++) {
      int row = sources.crossing(i);
      double before = crossings.triedBitsPerSecond[row];
      if (before > 0) {
        boolean waits = sources.demandBitsPerSecond(i) == Demand.GREEDY;
        boolean grows = !waits && sources.rates()[i] > GROWN * before;
        crossings.triedBitsPerSecond[row] = grows ? sources.rates()[i] : 0;
        goesOn |= grows;
        hasGrown |= grows || waits;
      }
    }
    isOn = goesOn;
    if (goesOn) {
      nextAt = now + LOOK_NANOS;
    } else {
      backOffNanos = hasGrown ? AGAIN_NANOS : Math.min(2 * backOffNanos, MOST_NANOS);
      nextAt = now + backOffNanos;
    }
  }

  private static void end(PortSources sources, CrossingTable crossings) {
    for (int i = 0; i < sources.size(); i++) {
      crossings.triedBitsPerSecond[sources.crossing(i)] = 0;
    }
  }

  /** Nothing is lent meanwhile. */
  boolean isOn() {
    return isOn;
  }
}

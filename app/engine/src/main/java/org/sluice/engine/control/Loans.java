// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import org.sluice.engine.state.EngineState;

/**
 * What of a port may be borrowed: what is due there to endpoints that do not send it now, while
 * others wait. A share is a right, and its endpoint takes it at once; what is idle meanwhile hosts
 * may borrow, and return on marks (docs/two-time-scale-law.md, "Loans"). What somebody waits for
 * and does not get is not idle: else whoever is held back by marks would have others borrow more.
 */
final class Loans {
  /** Less idle capacity than this part of the port is not lent: at rest nothing is marked. */
  static final double LEAST_IDLE = 0.03;

  /** Nobody may exceed the share by more than so many times it on average. */
  static final double MOST = 4;

  /** A smaller part of their shares is not worth borrowing. */
  private static final double LEAST = 0.01;

  /** More idle capacity counts after about so long, ns: rates are means already. */
  private static final double RISE_NANOS = 5e6;

  /** Less counts after about so long, ns: who comes and goes will go again. */
  private static final double FALL_NANOS = 200e6;

  private double mean;
  private final SpreadLoan spread = new SpreadLoan();
  private double part;
  private long updatedAt;

  /** Follows the rates of a port's sources. */
  void update(PortSources sources, double unclaimed, boolean isTrial, EngineState state, long now) {
    double capacity = state.ports.capacityBitsPerSecond[sources.port()];
    double idle = unclaimed;
    double waiting = 0;
    for (int i = 0; i < sources.size(); i++) {
      int row = sources.crossing(i);
      double due =
          Math.min(
              state.crossings.partBitsPerSecond(row), state.crossings.wantedBitsPerSecond(row));
      if (sources.waits(i)) {
        waiting += due;
      } else {
        idle += Math.max(0, due - sources.rates()[i]);
      }
    }
    spread.update(sources, state, now - updatedAt);
    boolean isLent = idle > LEAST_IDLE * capacity && waiting > 0;
    double wanted = isLent ? Math.min(MOST, idle / waiting) : 0;
    double window = wanted > mean ? RISE_NANOS : FALL_NANOS;
    mean = isTrial ? 0 : wanted + (mean - wanted) * Math.exp((updatedAt - now) / window);
    updatedAt = now;
    part = Math.max(mean, spread.part());
    part = part < LEAST ? 0 : part;
  }

  /** By about what part of their shares those who wait may exceed them, at least 0. */
  double part() {
    return part;
  }

  /**
   * Whether it is what several equal ports have free, more than is idle: then marks of one of them
   * need not end.
   */
  boolean areSpread() {
    return spread.part() > 0 && spread.part() >= mean;
  }
}

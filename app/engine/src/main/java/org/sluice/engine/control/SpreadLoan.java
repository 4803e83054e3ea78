// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import org.sluice.engine.state.EngineState;

/**
 * What may be borrowed where it is not known which of several equal ports somebody crosses. Shares
 * are then of these ports together. Where more than its part has come to one of them marks cut
 * those who cross it, and what they leave another port has free. Who crosses that one has no marks:
 * it may borrow so much more, step by step, as the ports together are not used.
 */
final class SpreadLoan {
  /** What may be borrowed grows by this a second, in shares, if the ports carry nothing. */
  private static final double GAIN = 10;

  /** What may be borrowed beyond what somebody has, in shares: all the others would take it too. */
  private static final double STEP = 0.25;

  private double part;

  /** Follows the rates of a port's sources. */
  void update(PortSources sources, EngineState state, long nanos) {
    double used = PortLevels.USED_PART * state.ports.capacityBitsPerSecond[sources.port()];
    double free = 1 - sources.totalRate() / used;
    // Of one of the ports, not of all.
    double least = Loans.LEAST_IDLE * sources.leastFraction();
    double next = part + GAIN * (free - least) * nanos / 1e9;
    part = sources.leastFraction() < 1 ? Math.max(0, Math.min(most(sources, state), next)) : 0;
  }

  private static double most(PortSources sources, EngineState state) {
    double most = 0;
    for (int i = 0; i < sources.size(); i++) {
      double due = state.crossings.partBitsPerSecond(sources.crossing(i));
      if (sources.waits(i) && due > 0) {
        most = Math.max(most, STEP + Math.max(0, sources.rates()[i] / due - 1));
      }
    }
    return Math.min(Loans.MOST, most);
  }

  /** By about what part of their shares those who wait may exceed them, at least 0. */
  double part() {
    return part;
  }
}

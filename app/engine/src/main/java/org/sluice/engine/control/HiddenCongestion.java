// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import java.util.Arrays;
import org.sluice.engine.state.CrossingTable;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.PathTable;

/**
 * Which ports are likely to be congested although no marks are attributed to them. Receivers' marks
 * of a path go to one of its ports, so a full port gets none where all paths through it are marked
 * at other full ports too. Its sources are to share it all the same: without its control each would
 * have of it what its other port leaves.
 */
final class HiddenCongestion {
  /** A port of a lower load over capacity is not full. */
  private static final double FULL = 0.95;

  /** A port must be full for so long, ns: rates are smoothed over half of it. */
  private static final long PATIENCE_NANOS = 100_000_000L;

  /** So much of what crosses a port is as good as all of it. */
  private static final double ALL = 0.95;

  private static final long NOT_FULL = Long.MAX_VALUE;

  private final EngineState state;
  private final ControlledPorts control;

  /** By port: engine time since which it is full, or was evaluated without effect, ns. */
  private long[] fullSince = {};

  /** By port: what crosses it, and the port that is evaluated too, bit/s. */
  private double[] shared = {};

  private double load;
  private double controlledLoad;
  private boolean isEstimated;

  HiddenCongestion(EngineState state, ControlledPorts control) {
    this.state = state;
    this.control = control;
  }

  /** Whether a port that has been full for long is to be evaluated now. */
  boolean isDue(int port, long now) {
    if (fullSince.length <= port) {
      int before = fullSince.length;
      fullSince = Arrays.copyOf(fullSince, state.ports.id.length);
      Arrays.fill(fullSince, before, fullSince.length, NOT_FULL);
    }
    if (state.ports.relativeLoad[port] < FULL) {
      fullSince[port] = NOT_FULL;
    } else if (fullSince[port] == NOT_FULL) {
      fullSince[port] = now;
    } else if (now - fullSince[port] >= PATIENCE_NANOS) {
      fullSince[port] = now;
      return true;
    }
    return false;
  }

  /**
   * Evaluates all pairs through a port, so not for every tick.
   *
   * @return whether it is full, all that crosses it crosses other ports under control, of which
   *     some are marked, and it can have a queue
   */
  boolean isLikely(int port, long now) {
    if (state.ports.relativeLoad[port] < FULL) {
      return false;
    }
    shared = shared.length < state.ports.size() ? new double[state.ports.id.length] : shared;
    Arrays.fill(shared, 0);
    load = 0;
    controlledLoad = 0;
    isEstimated = false;
    CrossingTable crossings = state.crossings;
    for (int c = state.ports.firstCrossing[port]; c >= 0; c = crossings.nextOfPort[c]) {
      for (int e = crossings.firstEntry[c]; e >= 0; e = crossings.nextOfCrossing[e]) {
        if (state.pairs.isActive(crossings.entryPair[e])) {
          add(crossings.entryPair[e], port, crossings.entryFraction16[e]);
        }
      }
    }
    return controlledLoad >= ALL * load && isAnotherMarked(now) && !isFedByOne(port);
  }

  /** Whether some path through the port that was evaluated last is an estimate. */
  boolean isEstimated() {
    return isEstimated;
  }

  private void add(int pair, int port, int fraction16) {
    CrossingTable crossings = state.crossings;
    double rate = (double) state.pairs.rateBitsPerSecond(pair) * fraction16 / PathTable.WHOLE;
    double controlled = 0;
    for (int e = state.pairs.firstEntry[pair]; e >= 0; e = crossings.nextOfPair[e]) {
      int other = crossings.port[crossings.entryCrossing[e]];
      if (other != port && control.find(other) != null) {
        double part = rate * crossings.entryFraction16[e] / PathTable.WHOLE;
        shared[other] += part;
        controlled = Math.max(controlled, part);
      }
    }
    load += rate;
    controlledLoad += controlled;
    isEstimated |= state.paths.isEstimated(state.pairs.path(pair));
  }

  private boolean isAnotherMarked(long now) {
    for (int i = 0; i < control.all().size(); i++) {
      ControlledPort other = control.all().get(i);
      if (shared[other.port] > 0 && now - other.markedAt < ControlledPorts.END_NANOS) {
        return true;
      }
    }
    return false;
  }

  /** What comes through one port that is no faster cannot make a queue. */
  private boolean isFedByOne(int port) {
    long capacity = state.ports.capacityBitsPerSecond[port];
    for (int i = 0; i < control.all().size(); i++) {
      ControlledPort other = control.all().get(i);
      if (shared[other.port] >= ALL * load
          && state.ports.capacityBitsPerSecond[other.port] <= capacity) {
        return true;
      }
    }
    return false;
  }
}

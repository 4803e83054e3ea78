// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.List;

/** Divides the total windows of the congested ports among the flows through them. */
abstract class WindowAllocation {
  final DeadlineParameters parameters;

  WindowAllocation(DeadlineParameters parameters) {
    this.parameters = parameters;
  }

  /**
   * Opens a round: finds out what every active flow that crosses a congested port has on the way,
   * and gives those with a deadline what comes before all else. {@link #settle} gives the rest, and
   * puts it in force.
   *
   * <p>What a flow has on the way it has for another round trip, for windows only come down as data
   * are acknowledged. So windows grow only as far as there is room beside those that have yet to
   * come down; the rest of the growth follows next time. Else each change of order would put up to
   * two T_win into the queue.
   *
   * @param gif all flows
   * @param congested all congested ports, with their round trips set
   */
  final void allocate(GifTable gif, List<DeadlinePort> congested, long nowNanos) {
    for (int i = 0; i < congested.size(); i++) {
      congested.get(i).openBudget();
    }
    serve(gif, nowNanos);
    for (int i = gif.firstWithoutDeadline(); i < gif.size(); i++) {
      enter(gif.walk(i));
    }
  }

  /**
   * Gives those with a deadline, in the order of their priority, what comes before all else; each
   * {@link #enter(GifRow, long) enters} when its turn has come.
   */
  abstract void serve(GifTable gif, long nowNanos);

  /**
   * A flow with a deadline enters this round, with nothing due to it yet.
   *
   * @return whether it takes part
   */
  final boolean enter(GifRow row, long nowNanos) {
    double standing = standingNanos(row);
    row.governed = mayTakePart(row) && standing >= 0;
    if (row.governed) {
      row.allocatedBytes = 0;
      row.fullRoundTripNanos = row.baseRoundTripNanos + standing;
      expect(row, nowNanos);
      hold(row, row.heldBytes);
    }
    return row.governed;
  }

  /** A flow without a deadline enters this round, with its base window due to it. */
  private void enter(GifRow row) {
    row.governed = false;
    if (mayTakePart(row)) {
      row.allocatedBytes = row.hasBase() ? parameters.baseBytes() : 0;
      row.heldBytes = row.toldBytes == GifRow.UNTOLD ? 0 : row.windowBytes();
      for (DeadlinePort port : row.path) {
        if (port.isCongested()) {
          row.governed = true;
          port.expectOther(row.heldBytes);
        }
      }
    }
  }

  private static boolean mayTakePart(GifRow row) {
    return row.isSending() && !row.closed && !row.resting;
  }

  /** What a flow will have left, and on the way, when a decision of now takes effect. */
  private void expect(GifRow row, long nowNanos) {
    if (row.toldBytes == GifRow.UNTOLD) {
      row.usefulBytes = row.remainingBytes();
      row.heldBytes = 0; // Its SYN-ACK waits for what is decided now.
    } else {
      row.usefulBytes =
          row.expectedRemainingBytes(nowNanos, parameters.latencyNanos(), row.fullRoundTripNanos);
      row.heldBytes = Math.max(0, Math.min(row.windowBytes(), row.usefulBytes));
    }
  }

  /**
   * Finds out what window a flow is due, in whole segments, and puts that in force: a window comes
   * down to it, or grows as far as there is room; to be called for all flows in the order of their
   * priority after {@link #allocate}.
   *
   * @return whether it takes part in this round
   */
  final boolean settle(GifRow row, long nowNanos) {
    if (row.resting) {
      // Enough to be noticed when it goes on.
      row.setWindow(Math.min(row.windowBytes(), parameters.baseBytes()), nowNanos);
    }
    if (!row.governed) {
      return false;
    }
    if (row.hasDeadline()) {
      widen(row);
    } else {
      share(row);
    }
    double growth = row.allocatedBytes - row.heldBytes;
    long window = row.allocatedBytes;
    if (growth > 0) {
      double possible = row.heldBytes + Math.max(0, roomToGrow(row));
      // What is always a flow's due it has whatever else is on the way.
      long least = row.hasBase() ? parameters.baseBytes() : leastBytes();
      window = Math.min(window, Math.max(least, parameters.wholeSegmentsDown(possible)));
      hold(row, Math.max(0, window - row.heldBytes));
    }
    row.setWindow(window, nowNanos);
    return true;
  }

  /** Gives a flow with a deadline what it gets beyond what comes before all else. */
  abstract void widen(GifRow row);

  /** What a flow whose turn it is has whatever else is on the way, bytes. */
  abstract long leastBytes();

  /**
   * K/C of the slowest congested port on the way: what full queues add to a round trip, ns; below 0
   * if none is congested.
   */
  private static double standingNanos(GifRow row) {
    double standing = -1;
    for (DeadlinePort port : row.path) {
      if (port.isCongested()) {
        standing = Math.max(standing, port.standingNanos());
      }
    }
    return standing;
  }

  /** What is left of the budgets of all congested ports on a flow's way, bytes; may be below 0. */
  static double room(GifRow row) {
    double room = Double.MAX_VALUE;
    for (DeadlinePort port : row.path) {
      if (port.isCongested()) {
        room = Math.min(room, port.budgetBytes());
      }
    }
    return room;
  }

  /** What is left beside all that is held, bytes; may be below 0. */
  private static double roomToGrow(GifRow row) {
    double room = Double.MAX_VALUE;
    for (DeadlinePort port : row.path) {
      if (port.isCongested()) {
        room = Math.min(room, port.roomBytes());
      }
    }
    return room;
  }

  private static void hold(GifRow row, double bytes) {
    for (DeadlinePort port : row.path) {
      if (port.isCongested()) {
        port.hold(bytes);
      }
    }
  }

  /** Gives a flow more, whatever is left. */
  static void grant(GifRow row, long bytes) {
    row.allocatedBytes += bytes;
    for (DeadlinePort port : row.path) {
      if (port.isCongested()) {
        port.spend(bytes);
      }
    }
  }

  /** Gives a flow so many bytes more, rounded up to segments, as far as there is room. */
  final void grantAsFarAsPossible(GifRow row, double bytes) {
    long possible = possible(bytes, room(row));
    if (possible > 0) {
      grant(row, possible);
    }
  }

  /** So many bytes rounded up to segments, as far as there is room, bytes. */
  private long possible(double bytes, double room) {
    return room >= parameters.segmentBytes() && bytes > 0
        ? Math.min(parameters.wholeSegmentsUp(bytes), parameters.wholeSegmentsDown(room))
        : 0;
  }

  /**
   * Gives a flow without a deadline its part of what is left: the least that the ports on its way
   * have for one of those that have not been served yet, but a segment as long as there is one:
   * those who come first then are through first.
   */
  private void share(GifRow row) {
    double room = Double.MAX_VALUE;
    double fair = Double.MAX_VALUE;
    for (DeadlinePort port : row.path) {
      if (port.isCongested()) {
        room = Math.min(room, port.budgetBytes());
        fair = Math.min(fair, port.fairBytes());
      }
    }
    long least = row.allocatedBytes == 0 ? parameters.segmentBytes() : 0;
    long wanted = Math.max(least, parameters.wholeSegmentsDown(Math.max(0, fair)));
    long possible = possible(wanted, room);
    row.allocatedBytes += possible;
    for (DeadlinePort port : row.path) {
      if (port.isCongested()) {
        port.serveOther(possible);
      }
    }
  }
}

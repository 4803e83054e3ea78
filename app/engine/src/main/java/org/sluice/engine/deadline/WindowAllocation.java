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
      enter(gif.get(i));
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
    row.governed = takesPart(row);
    if (row.governed) {
      row.allocatedBytes = 0;
      expect(row, nowNanos);
      hold(row, row.heldBytes);
    }
    return row.governed;
  }

  /** A flow without a deadline enters this round, with its base window due to it. */
  private void enter(GifRow row) {
    row.governed = takesPart(row);
    if (row.governed) {
      row.allocatedBytes = row.hasBase() ? parameters.baseBytes() : 0;
      row.heldBytes = row.toldBytes == GifRow.UNTOLD ? 0 : row.windows.bytes();
      hold(row, row.heldBytes);
      count(row, 1);
    }
  }

  private static boolean takesPart(GifRow row) {
    return row.isSending() && !row.closed && !row.resting && row.crossesCongestion();
  }

  /** What a flow will have left, and on the way, when a decision of now takes effect. */
  private void expect(GifRow row, long nowNanos) {
    row.fullRoundTripNanos = row.baseRoundTripNanos + standingNanos(row);
    if (row.toldBytes == GifRow.UNTOLD) {
      row.usefulBytes = row.remainingBytes();
      row.heldBytes = 0; // Its SYN-ACK waits for what is decided now.
    } else {
      row.usefulBytes =
          row.expectedRemainingBytes(nowNanos, parameters.latencyNanos(), row.fullRoundTripNanos);
      row.heldBytes = Math.max(0, Math.min(row.windows.bytes(), row.usefulBytes));
    }
  }

  /**
   * Finds out what window a flow is due, in whole segments, and puts that in force: a window comes
   * down to it, or grows as far as there is room; to be called for all flows in the order of their
   * priority after {@link #allocate}.
   */
  final void settle(GifRow row, long nowNanos) {
    if (row.resting) {
      // Enough to be noticed when it goes on.
      row.windows.set(Math.min(row.windows.bytes(), parameters.baseBytes()), nowNanos);
      return;
    }
    if (!row.governed) {
      return;
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
    row.windows.set(window, nowNanos);
  }

  /** Gives a flow with a deadline what it gets beyond what comes before all else. */
  abstract void widen(GifRow row);

  /** What a flow whose turn it is has whatever else is on the way, bytes. */
  abstract long leastBytes();

  /** K/C of the slowest congested port on the way: what full queues add to a round trip, ns. */
  private static double standingNanos(GifRow row) {
    double standing = 0;
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
    double room = room(row);
    if (bytes > 0 && room >= parameters.segmentBytes()) {
      long wanted = parameters.wholeSegmentsUp(bytes);
      grant(row, Math.min(wanted, parameters.wholeSegmentsDown(room)));
    }
  }

  /**
   * Gives a flow without a deadline its part of what is left: the least that the ports on its way
   * have for one of those that have not been served yet, but a segment as long as there is one:
   * those who come first then are through first.
   */
  private void share(GifRow row) {
    double fair = Double.MAX_VALUE;
    for (DeadlinePort port : row.path) {
      if (port.isCongested()) {
        fair = Math.min(fair, port.budgetBytes() / port.others());
      }
    }
    long least = row.allocatedBytes == 0 ? parameters.segmentBytes() : 0;
    grantAsFarAsPossible(row, Math.max(least, parameters.wholeSegmentsDown(Math.max(0, fair))));
    count(row, -1);
  }

  private static void count(GifRow row, int change) {
    for (DeadlinePort port : row.path) {
      if (port.isCongested()) {
        port.countOthers(change);
      }
    }
  }
}

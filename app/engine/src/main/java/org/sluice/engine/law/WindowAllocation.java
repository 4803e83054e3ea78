// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import java.util.List;
import org.sluice.api.link.WindowGrant;

/**
 * Divides the total windows of congested ports among the flows through them: what SED as printed
 * ({@link SedWindows}) and Sluice's reading of it ({@link EdfWindows}) have in common. Windows are
 * whole segments; a flow that crosses several congested ports takes from the T_win of each.
 *
 * <p>What a flow has in transit it has for another round trip, for windows only come down as data
 * are acknowledged. So windows grow only as far as there is room beside those that have yet to come
 * down; the rest of the growth follows next time. Else each change of order would put up to two
 * T_win into the queue. (Ours: the paper's switch is where the queue is.)
 */
public abstract class WindowAllocation {
  final DeadlineParameters parameters;

  WindowAllocation(DeadlineParameters parameters) {
    this.parameters = parameters;
  }

  /** The allocation of the policy that the parameters name. */
  public static WindowAllocation of(DeadlineParameters parameters) {
    return parameters.windows() == WindowPolicy.SED
        ? new SedWindows(parameters)
        : new EdfWindows(parameters);
  }

  // ---------------------------------------------------------------- what a policy decides

  /**
   * Gives those with a deadline, in the order of their priority, what comes before all else; each
   * {@link #enter(SedFlow, long) enters} when its turn has come.
   */
  abstract void serve(FlowsByPriority flows, long nowNanos);

  /** Gives a flow with a deadline what it gets beyond what comes before all else. */
  abstract void widen(SedFlow flow);

  /** What a flow whose turn it is has whatever else is in transit, bytes. */
  abstract long leastBytes();

  /**
   * What a flow that sends may have while no port on its path is congested, bytes, or {@link
   * WindowGrant#RELEASED}.
   */
  public abstract long uncongestedBytes(SedFlow flow);

  /**
   * What a registered flow that has not begun may begin with while no port on its path is
   * congested, bytes, at most a first window as TCP has it, or {@link WindowGrant#RELEASED}.
   */
  public abstract long firstBytes(SedFlow flow);

  /** Whether RTT_base is the mean of the latest round trips, not of the least. */
  public abstract boolean usesLatestRoundTrips();

  // ---------------------------------------------------------------- congested ports

  /**
   * Opens a round: finds out what every active flow that crosses a congested port has in transit,
   * and gives those with a deadline what comes before all else. {@link #settle} gives the rest, and
   * puts it in force.
   *
   * @param flows all flows
   * @param congested all congested ports, with their round trips set
   */
  public final void allocate(
      FlowsByPriority flows, List<? extends SedPort> congested, long nowNanos) {
    for (int i = 0; i < congested.size(); i++) {
      congested.get(i).openBudget();
    }
    serve(flows, nowNanos);
    for (int i = flows.firstWithoutDeadline(); i < flows.size(); i++) {
      enter(flows.walk(i));
    }
  }

  /**
   * A flow with a deadline enters this round, with nothing due to it yet.
   *
   * @return whether it takes part
   */
  final boolean enter(SedFlow flow, long nowNanos) {
    double standing = standingNanos(flow);
    flow.governed = flow.takesPart() && standing >= 0;
    if (flow.governed) {
      flow.allocatedBytes = 0;
      flow.fullRoundTripNanos = flow.baseRoundTripNanos() + standing;
      expect(flow, nowNanos);
      hold(flow, flow.heldBytes);
    }
    return flow.governed;
  }

  /** A flow without a deadline enters this round, with its base window due to it. */
  private void enter(SedFlow flow) {
    flow.governed = false;
    if (flow.takesPart()) {
      flow.allocatedBytes = flow.hasBase() ? parameters.baseBytes() : 0;
      flow.heldBytes = flow.isPublished() ? flow.windowBytes() : 0;
      for (SedPort port : flow.path()) {
        if (port.isCongested()) {
          flow.governed = true;
          port.expectOther(flow.heldBytes);
        }
      }
    }
  }

  /** What a flow will have left, and in transit, when a decision of now takes effect. */
  private void expect(SedFlow flow, long nowNanos) {
    if (flow.isPublished()) {
      flow.usefulBytes =
          flow.expectedRemainingBytes(nowNanos, parameters.latencyNanos(), flow.fullRoundTripNanos);
      flow.heldBytes = Math.max(0, Math.min(flow.windowBytes(), flow.usefulBytes));
    } else {
      flow.usefulBytes = flow.remainingBytes();
      flow.heldBytes = 0; // Its SYN-ACK waits for what is decided now.
    }
  }

  /**
   * Finds out what window a flow is due, in whole segments, and puts that in force: a window comes
   * down to it, or grows as far as there is room; to be called for all flows in the order of their
   * priority after {@link #allocate}.
   *
   * @return whether it takes part in this round
   */
  public final boolean settle(SedFlow flow, long nowNanos) {
    if (!flow.governed) {
      return false;
    }
    if (flow.hasDeadline()) {
      widen(flow);
    } else {
      share(flow);
    }
    double growth = flow.allocatedBytes - flow.heldBytes;
    long window = flow.allocatedBytes;
    if (growth > 0) {
      double possible = flow.heldBytes + Math.max(0, roomToGrow(flow));
      // What is always a flow's due it has whatever else is in transit.
      long least = flow.hasBase() ? parameters.baseBytes() : leastBytes();
      window = Math.min(window, Math.max(least, parameters.wholeSegmentsDown(possible)));
      hold(flow, Math.max(0, window - flow.heldBytes));
    }
    flow.setWindow(window, nowNanos);
    return true;
  }

  /**
   * K/C of the slowest congested port on the path: what full queues add to a round trip, ns; below
   * 0 if none is congested.
   */
  private static double standingNanos(SedFlow flow) {
    double standing = -1;
    for (SedPort port : flow.path()) {
      if (port.isCongested()) {
        standing = Math.max(standing, port.standingNanos());
      }
    }
    return standing;
  }

  /** What is left of the budgets of all congested ports on a flow's path, bytes; may be below 0. */
  static double room(SedFlow flow) {
    double room = Double.MAX_VALUE;
    for (SedPort port : flow.path()) {
      if (port.isCongested()) {
        room = Math.min(room, port.budgetBytes());
      }
    }
    return room;
  }

  /** What is left beside all that is held, bytes; may be below 0. */
  private static double roomToGrow(SedFlow flow) {
    double room = Double.MAX_VALUE;
    for (SedPort port : flow.path()) {
      if (port.isCongested()) {
        room = Math.min(room, port.roomBytes());
      }
    }
    return room;
  }

  private static void hold(SedFlow flow, double bytes) {
    for (SedPort port : flow.path()) {
      if (port.isCongested()) {
        port.hold(bytes);
      }
    }
  }

  /** Gives a flow more, whatever is left. */
  static void grant(SedFlow flow, long bytes) {
    flow.allocatedBytes += bytes;
    for (SedPort port : flow.path()) {
      if (port.isCongested()) {
        port.spend(bytes);
      }
    }
  }

  /** Gives a flow so many bytes more, rounded up to segments, as far as there is room. */
  final void grantAsFarAsPossible(SedFlow flow, double bytes) {
    long possible = possible(bytes, room(flow));
    if (possible > 0) {
      grant(flow, possible);
    }
  }

  /** So many bytes rounded up to segments, as far as there is room, bytes. */
  private long possible(double bytes, double room) {
    return room >= parameters.segmentBytes() && bytes > 0
        ? Math.min(parameters.wholeSegmentsUp(bytes), parameters.wholeSegmentsDown(room))
        : 0;
  }

  /**
   * Gives a flow without a deadline its part of what is left (Algorithm 2, lines 26 to 28): the
   * least that the ports on its path have for one of those that have not been served yet, but a
   * segment as long as there is one: those who come first then are through first.
   */
  private void share(SedFlow flow) {
    double room = Double.MAX_VALUE;
    double fair = Double.MAX_VALUE;
    for (SedPort port : flow.path()) {
      if (port.isCongested()) {
        room = Math.min(room, port.budgetBytes());
        fair = Math.min(fair, port.fairBytes());
      }
    }
    long least = flow.allocatedBytes == 0 ? parameters.segmentBytes() : 0;
    long wanted = Math.max(least, parameters.wholeSegmentsDown(Math.max(0, fair)));
    long possible = possible(wanted, room);
    flow.allocatedBytes += possible;
    for (SedPort port : flow.path()) {
      if (port.isCongested()) {
        port.serveOther(possible);
      }
    }
  }
}

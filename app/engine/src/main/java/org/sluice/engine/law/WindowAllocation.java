// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import java.util.List;
import org.sluice.api.link.WindowGrant;

/**
 * Divides the total windows of congested ports among the flows through them: what SED as printed
 * ({@link SedLaw}) and Sluice's reading of it ({@link EdfWindows}) have in common. Windows are
 * whole segments; a flow that crosses several congested ports takes from the T_win of each.
 *
 * <p>What a flow has in transit it has for another round trip, for windows only come down as data
 * are acknowledged. So windows grow only as far as there is space beside those that have yet to
 * come down, and beside what those may send that are registered and may begin at any time; the rest
 * of the growth follows next time. Else each change of order would put up to two T_win into the
 * queue. (Ours: the paper's switch is where the queue is.)
 *
 * <p>A window that was lowered is in force until its host has it and what was sent before has been
 * acknowledged. What may be in transit by that never exceeds what a port's buffer, if it is known,
 * and its path have space for.
 */
public abstract class WindowAllocation {
  final DeadlineParameters parameters;

  WindowAllocation(DeadlineParameters parameters) {
    this.parameters = parameters;
  }

  /** The allocation that the parameters name. */
  public static WindowAllocation of(DeadlineParameters parameters) {
    return parameters.windows() == WindowScheme.SED
        ? new SedLaw(parameters)
        : new EdfWindows(parameters);
  }

  // ---------------------------------------------------------------- what an allocation decides

  /**
   * Gives those with a deadline, in the order of their priority, what comes before all else; each
   * {@link #enter(SedFlow, long) enters} when its turn has come.
   */
  abstract void serve(FlowsByPriority flows, long nowNanos);

  /** Whether RTT_base is the mean of the latest round trips, not of the least. */
  public abstract boolean usesLatestRoundTrips();

  // What follows is as in SED as printed, which has nothing like it.

  /**
   * Gives a flow with a deadline what it gets beyond what comes before all else; in SED all spare
   * goes to those without.
   */
  void widen(SedFlow flow) {}

  /** A window that does not reach this does not grow, bytes. */
  long leastGrowthBytes(SedFlow flow) {
    return 0;
  }

  /** What a flow has beside T_win if there is no space for it there, bytes. */
  long leastBytes(SedFlow flow) {
    return 0;
  }

  /**
   * What a flow that sends may have while no port on its path is congested, bytes, or {@link
   * WindowGrant#RELEASED}.
   */
  public long uncongestedBytes(SedFlow flow) {
    return WindowGrant.RELEASED;
  }

  /**
   * What a registered flow that has not begun may begin with while no port on its path is
   * congested, bytes, at most a first window as TCP has it, or {@link WindowGrant#RELEASED}.
   */
  public long firstBytes(SedFlow flow) {
    return WindowGrant.RELEASED;
  }

  /**
   * What a registered flow that has not begun may begin with where its path is congested, bytes.
   */
  public long firstBytesWhileCongested() {
    return parameters.segmentBytes();
  }

  /** Whether T_win has {@link WindowSlack a slack}. */
  public boolean hasSlack() {
    return false;
  }

  /** Whether what may be in transit has to fit into the buffers. */
  boolean fitsBuffers() {
    return false;
  }

  /**
   * How long a window that has been lowered may still be in force, ns; the paper's switch is where
   * the queue is.
   */
  double loweringNanos(SedFlow flow) {
    return 0;
  }

  /** What a window of a flow is reckoned to take, ns. */
  double expectedRoundTripNanos(SedFlow flow) {
    return flow.fullRoundTripNanos;
  }

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
      enterOther(flows.walk(i), nowNanos);
    }
  }

  /**
   * A flow with a deadline enters this round, with nothing due to it yet.
   *
   * @return whether it takes part
   */
  final boolean enter(SedFlow flow, long nowNanos) {
    double standing = standingNanos(flow);
    flow.fullRoundTripNanos = flow.baseRoundTripNanos() + Math.max(0, standing);
    if (flow.isAwaited()) {
      hold(flow, flow.windowBytes(), mayBeInTransitBytes(flow, nowNanos)); // It may begin now.
    }
    flow.governed = flow.takesPart() && standing >= 0;
    if (flow.governed) {
      flow.allocatedBytes = 0;
      expect(flow, nowNanos);
      hold(flow, flow.heldBytes, flow.inTransitBytes);
    }
    return flow.governed;
  }

  /** A flow without a deadline enters this round, with its base window due to it. */
  private void enterOther(SedFlow flow, long nowNanos) {
    flow.governed = false;
    if (flow.takesPart()) {
      flow.allocatedBytes = flow.hasBase() ? parameters.baseBytes() : 0;
      flow.fullRoundTripNanos = flow.baseRoundTripNanos() + Math.max(0, standingNanos(flow));
      flow.heldBytes = flow.isPublished() ? flow.windowBytes() : 0;
      flow.inTransitBytes = flow.isPublished() ? mayBeInTransitBytes(flow, nowNanos) : 0;
      for (SedPort port : flow.path()) {
        if (port.isCongested()) {
          flow.governed = true;
          port.expectOther(flow.heldBytes, flow.inTransitBytes);
        }
      }
    }
  }

  /** What windows that have lately been in force may have let go, bytes. */
  private long mayBeInTransitBytes(SedFlow flow, long nowNanos) {
    return flow.widestWindowBytes(lowersSince(flow, nowNanos));
  }

  /** A window that was lowered after this time may still be in force, ns. */
  public final long lowersSince(SedFlow flow, long nowNanos) {
    return nowNanos - Math.round(loweringNanos(flow));
  }

  /** What a flow will have left, and in transit, when a decision of now takes effect. */
  private void expect(SedFlow flow, long nowNanos) {
    if (flow.isPublished()) {
      double roundTrip = expectedRoundTripNanos(flow);
      flow.usefulBytes =
          flow.expectedRemainingBytes(nowNanos, parameters.latencyNanos(), roundTrip);
      flow.heldBytes = Math.max(0, Math.min(flow.windowBytes(), flow.usefulBytes));
      double inTransit = mayBeInTransitBytes(flow, nowNanos);
      flow.inTransitBytes = Math.max(0, Math.min(inTransit, flow.usefulBytes));
    } else {
      flow.usefulBytes = flow.remainingBytes();
      flow.heldBytes = 0; // Its SYN-ACK waits for what is decided now.
      flow.inTransitBytes = 0;
    }
  }

  /**
   * Finds out what window a flow is due, in whole segments, and puts that in force: a window comes
   * down to it, or grows as far as there is space; to be called for all flows in the order of their
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
      double possible = Math.max(leastBytes(flow), flow.heldBytes + Math.max(0, roomToGrow(flow)));
      if (fitsBuffers()) {
        possible = Math.min(possible, flow.inTransitBytes + Math.max(0, places(flow)));
      }
      // A base window is a flow's due whatever else is in transit.
      long least = flow.hasBase() ? parameters.baseBytes() : 0;
      window = Math.min(window, Math.max(least, parameters.wholeSegmentsDown(possible)));
      window = worthWhile(flow, window);
      hold(flow, Math.max(0, window - flow.heldBytes), Math.max(0, window - flow.inTransitBytes));
    }
    flow.setWindow(window, nowNanos);
    return true;
  }

  /**
   * A window that grows: one that is due stays what it is where there is no space to grow, and none
   * grows to less than is worth while.
   */
  private long worthWhile(SedFlow flow, long window) {
    long kept = flow.isPublished() ? Math.min(flow.windowBytes(), flow.allocatedBytes) : 0;
    return window < Math.min(flow.allocatedBytes, leastGrowthBytes(flow))
        ? kept
        : Math.max(window, kept);
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
        room = Math.min(room, port.freeBytes());
      }
    }
    return room;
  }

  /** What buffers have space for beside all that may be in transit, bytes; may be below 0. */
  private static double places(SedFlow flow) {
    double places = Double.MAX_VALUE;
    for (SedPort port : flow.path()) {
      if (port.isCongested()) {
        places = Math.min(places, port.placesBytes());
      }
    }
    return places;
  }

  private static void hold(SedFlow flow, double bytes, double inTransitBytes) {
    for (SedPort port : flow.path()) {
      if (port.isCongested()) {
        port.hold(bytes, inTransitBytes);
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

  /** Gives a flow so many bytes more, rounded up to segments, as far as there is space. */
  final void grantAsFarAsPossible(SedFlow flow, double bytes) {
    long possible = possible(bytes, room(flow));
    if (possible > 0) {
      grant(flow, possible);
    }
  }

  /** So many bytes rounded up to segments, as far as there is space, bytes. */
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

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.marks;

import java.util.Arrays;
import org.sluice.api.PortStatus.MarkSource;
import org.sluice.engine.collections.IntList;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.Links;
import org.sluice.engine.state.PortTable;
import org.sluice.engine.statistics.EngineStatistics.Figure;
import org.sluice.engine.time.TickTime;

/**
 * Whose count of a port's marks holds, and what it says. In the order of precedence:
 *
 * <ol>
 *   <li>the port's own agent: packets that found more than the threshold in its queue;
 *   <li>the hosts that are reached through it: {@link Attribution} gives it marks of paths;
 *   <li>the mark meter of the switch that it leads to: alpha_p = the CE that is counted there, less
 *       the CE that had entered p's own switch and left for p ({@link OwnMarks}).
 * </ol>
 *
 * Two are never summed. One that falls silent gives way to the next that tells, and takes its place
 * again with the first word. What a meter counted before it is known which part of it is the port's
 * own is kept; then that part of it counts: never below 0, never above what was counted.
 */
public final class MarkSources {
  /** Of one that carries nothing, agents report every second, ns. */
  static final long IDLE_SILENT_NANOS = 1_500_000_000L;

  /** What is told of a port holds for so long if nothing newer comes, ns. */
  private static final long HOLD_NANOS = 20_000_000L;

  private static final long NEVER = Long.MIN_VALUE / 2;

  private final EngineState world;
  private final MarkReports reports;
  private final TickTime time = new TickTime();
  private final OwnMarks own;
  private final IntList changed = new IntList();
  private final IntList tellers = new IntList();

  private MarkSource[] source = {};
  private double[] exact = {};
  private long[] pending = {};
  private double[] carry = {};
  private long[] told = {};
  private double[] markedPart = {};
  private long[] toldAt = {};
  private Signals signals;

  public MarkSources(EngineState world, MarkReports reports) {
    this.world = world;
    this.reports = reports;
    this.own = new OwnMarks(world, reports, time);
  }

  private void follow() {
    reports.followPorts();
    own.follow();
    int before = source.length;
    if (before < world.ports.size()) {
      int size = world.ports.id.length;
      source = Arrays.copyOf(source, size);
      exact = Arrays.copyOf(exact, size);
      Arrays.fill(exact, before, size, OwnMarks.UNMEASURED);
      pending = Arrays.copyOf(pending, size);
      carry = Arrays.copyOf(carry, size);
      told = Arrays.copyOf(told, size);
      markedPart = Arrays.copyOf(markedPart, size);
      toldAt = Arrays.copyOf(toldAt, size);
      Arrays.fill(toldAt, before, size, NEVER);
    }
  }

  /**
   * Chooses sources and takes down what agents and meters say.
   *
   * @param sinceLastNanos since the last tick, above 0
   */
  public void tick(long nowNanos, long sinceLastNanos, Signals wanted) {
    follow();
    time.set(nowNanos, sinceLastNanos);
    signals = wanted;
    changed.clear();
    tellers.clear();
    reports.meters.tick(time.left);
    reports.queues.tick(time.left);
    reports.hosts.tick(time);
    if (signals == Signals.AUTO || signals == Signals.METERS) {
      own.tick();
    }
    for (int port : world.ports.inUse.rows()) {
      look(port);
    }
    reports.meters.clear();
    reports.queues.clear();
  }

  private void look(int port) {
    if (world.ports.capacityBitsPerSecond[port] == 0) {
      exact[port] = OwnMarks.UNMEASURED;
      return;
    }
    int entrance = world.links.peer(port);
    choose(port, entrance);
    exact[port] = measured(port);
    if (source[port] == MarkSource.PORTS) {
      takeQueue(port);
    } else if (source[port] == MarkSource.METERS) {
      takeMeter(port, entrance);
    }
  }

  // ---------------------------------------------------------------- who is believed

  private void choose(int port, int entrance) {
    MarkSource present = source[port];
    MarkSource best = null;
    if (isAllowed(Signals.PORTS) && isHeard(port, reports.queues.heardAt(port))) {
      best = MarkSource.PORTS;
    } else if (isAllowed(Signals.HOSTS) && isHeard(port, reports.hosts.heardAt(port))) {
      best = MarkSource.HOSTS;
    } else if (isAllowed(Signals.METERS)
        && entrance != Links.NONE
        && isHeard(port, reports.meters.heardAt(entrance))) {
      best = MarkSource.METERS;
    } else if (present != null && isAllowed(signal(present))) {
      best = present; // All are silent: there is nobody to give way to.
    }
    if (best != present) {
      source[port] = best;
      pending[port] = 0;
      carry[port] = 0;
      changed.add(port);
    }
  }

  private boolean isAllowed(Signals one) {
    return signals == Signals.AUTO || signals == one;
  }

  private boolean isHeard(int port, long at) {
    boolean isBusy = world.ports.loadBitsPerSecond[port] > 0;
    return time.isWithin(at, isBusy ? TickTime.SILENT_NANOS : IDLE_SILENT_NANOS);
  }

  private static Signals signal(MarkSource source) {
    switch (source) {
      case PORTS:
        return Signals.PORTS;
      case HOSTS:
        return Signals.HOSTS;
      default:
        return Signals.METERS;
    }
  }

  // ---------------------------------------------------------------- what they say

  private void takeQueue(int port) {
    long packets = reports.queues.packets(port);
    long marks = reports.queues.marks(port);
    if (packets > 0 || marks > 0) {
      tell(port, marks, packets == 0 ? 1 : Math.min(1, (double) marks / packets));
    }
  }

  private void takeMeter(int port, int entrance) {
    if (entrance == Links.NONE || reports.meters.nanos(entrance) == 0) {
      return;
    }
    long marks = reports.meters.marks(entrance);
    if (!own.isSettled(port)) {
      pending[port] += marks;
      return;
    }
    double part = own.ownPart(port, entrance);
    double all = (marks + pending[port]) * part + carry[port];
    long whole = (long) all;
    carry[port] = part == 0 ? 0 : all - whole;
    world.counters.add(Figure.MARKS_ENTERED, marks + pending[port] - whole);
    pending[port] = 0;
    world.ports.estimatedMarks[port] |= !own.isMetered(port);
    double perSecond = marks * part * 1e9 / reports.meters.nanos(entrance);
    double packets = own.packetsPerSecond(port, entrance);
    tell(port, whole, packets > 0 ? Math.min(1, perSecond / packets) : 0);
  }

  private void tell(int port, long marks, double part) {
    markedPart[port] = part;
    toldAt[port] = time.now;
    told[port] = marks;
    if (marks > 0) {
      tellers.add(port);
    }
  }

  /** What agent or meters tell of just this port, for the attribution of what hosts count. */
  private double measured(int port) {
    if (signals != Signals.AUTO) {
      return OwnMarks.UNMEASURED;
    }
    return isHeard(port, reports.queues.heardAt(port))
        ? reports.queues.markedPart(port)
        : own.part(port);
  }

  // ---------------------------------------------------------------- for others

  /** Ports whose source has changed in this tick. */
  public IntList changed() {
    return changed;
  }

  /** Ports of which agents or meters, being in force, have told marks in this tick. */
  IntList tellers() {
    return tellers;
  }

  /** Marks of a {@link #tellers} port. */
  long toldMarks(int port) {
    return told[port];
  }

  /** The source in force; null while nobody has told. */
  public MarkSource source(int port) {
    return port < source.length ? source[port] : null;
  }

  /** The part of its packets that a port marks, or {@link OwnMarks#UNMEASURED}. */
  double exact(int port) {
    return exact[port];
  }

  /** Ends the period: turns packets and marks into shares, and counts packets anew. */
  public void closePeriod(long controlPeriodNanos) {
    PortTable ports = world.ports;
    for (int p : ports.inUse.rows()) {
      if (source[p] == MarkSource.PORTS || source[p] == MarkSource.METERS) {
        ports.ceShare[p] = isTold(p, controlPeriodNanos) ? markedPart[p] : 0;
      } else if (ports.packets16[p] > 0) {
        ports.ceShare[p] = Math.min(1, ports.marks[p] * 65536.0 / ports.packets16[p]);
        toldAt[p] = time.now;
      } else if (ports.loadBitsPerSecond[p] == 0) {
        ports.ceShare[p] = 0;
      }
      ports.packets16[p] = 0;
    }
  }

  /** Whether the port's CE share is of now, or near enough. */
  public boolean isTold(int port, long controlPeriodNanos) {
    return time.now - toldAt[port] <= Math.max(HOLD_NANOS, 2 * controlPeriodNanos);
  }

  /** Packets per second through the port, by whoever tells. */
  public double packetsPerSecond(int port) {
    return own.packetsPerSecond(port, world.links.peer(port));
  }
}

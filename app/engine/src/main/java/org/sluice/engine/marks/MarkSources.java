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
 * Which source of a port's marks counts, and what it reports. In the order of precedence:
 *
 * <ol>
 *   <li>the port's own agent: packets that found more than the threshold in its queue;
 *   <li>the hosts that are reached through it: {@link Attribution} gives it marks of paths;
 *   <li>the mark meter of the switch that it leads to: alpha_p = the CE that is counted there, less
 *       the CE that had entered p's own switch and left for p ({@link OwnMarks}).
 * </ol>
 *
 * A receive port has the first alone: no switch knows of it, and its marks are none that hosts
 * count on paths.
 *
 * <p>Two are never summed. One that goes stale gives way to the next that reports, and takes its
 * place again with its first report. What a meter counted before it is known which part of it is
 * the port's own is kept; then that part of it counts: never below 0, never above what was counted.
 */
public final class MarkSources {
  /** Of a port that carries nothing, agents report every second, ns. */
  static final long IDLE_STALE_NANOS = 1_500_000_000L;

  /** What is reported on a port holds for so long if nothing newer comes, ns. */
  private static final long HOLD_NANOS = 20_000_000L;

  private static final long NEVER = Long.MIN_VALUE / 2;

  private final EngineState state;
  private final MarkReports reports;
  private final TickTime time = new TickTime();
  private final OwnMarks own;
  private final IntList changed = new IntList();
  private final IntList reporting = new IntList();

  private MarkSource[] source = {};
  private double[] exact = {};
  private long[] pending = {};
  private double[] carry = {};
  private long[] reported = {};
  private double[] markedPart = {};
  private long[] reportedAt = {};
  private Signals signals;

  public MarkSources(EngineState state, MarkReports reports) {
    this.state = state;
    this.reports = reports;
    this.own = new OwnMarks(state, reports, time);
  }

  private void follow() {
    reports.followPorts();
    own.follow();
    int before = source.length;
    if (before < state.ports.size()) {
      int size = state.ports.id.length;
      source = Arrays.copyOf(source, size);
      exact = Arrays.copyOf(exact, size);
      Arrays.fill(exact, before, size, OwnMarks.UNMEASURED);
      pending = Arrays.copyOf(pending, size);
      carry = Arrays.copyOf(carry, size);
      reported = Arrays.copyOf(reported, size);
      markedPart = Arrays.copyOf(markedPart, size);
      reportedAt = Arrays.copyOf(reportedAt, size);
      Arrays.fill(reportedAt, before, size, NEVER);
    }
  }

  /**
   * Chooses sources and takes over what agents and meters report.
   *
   * @param sinceLastNanos since the last tick, above 0
   */
  public void tick(long nowNanos, long sinceLastNanos, Signals wanted) {
    follow();
    time.set(nowNanos, sinceLastNanos);
    signals = wanted;
    changed.clear();
    reporting.clear();
    reports.meters.tick(time.left);
    reports.queues.tick(time.left);
    reports.hosts.tick(time);
    if (signals == Signals.AUTO || signals == Signals.METERS) {
      own.tick();
    }
    for (int port : state.ports.inUse.rows()) {
      update(port);
    }
    reports.meters.clear();
    reports.queues.clear();
  }

  private void update(int port) {
    if (state.ports.capacityBitsPerSecond[port] == 0) {
      exact[port] = OwnMarks.UNMEASURED;
      return;
    }
    int entrance = state.links.peer(port);
    choose(port, entrance);
    exact[port] = measured(port);
    if (source[port] == MarkSource.PORTS) {
      takeQueue(port);
    } else if (source[port] == MarkSource.METERS) {
      takeMeter(port, entrance);
    }
  }

  // ---------------------------------------------------------------- which source counts

  private void choose(int port, int entrance) {
    MarkSource present = source[port];
    MarkSource best = null;
    if (state.ports.isReceiver[port]) {
      best = reports.queues.hasReported(port) ? MarkSource.PORTS : null;
    } else if (isAllowed(Signals.PORTS) && isRecent(port, reports.queues.reportedAt(port))) {
      best = MarkSource.PORTS;
    } else if (isAllowed(Signals.HOSTS) && isRecent(port, reports.hosts.reportedAt(port))) {
      best = MarkSource.HOSTS;
    } else if (isAllowed(Signals.METERS)
        && entrance != Links.NONE
        && isRecent(port, reports.meters.reportedAt(entrance))) {
      best = MarkSource.METERS;
    } else if (present != null && isAllowed(signal(present))) {
      best = present; // All are stale: there is none to give way to.
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

  private boolean isRecent(int port, long at) {
    boolean isBusy = state.ports.loadBitsPerSecond[port] > 0;
    return time.isWithin(at, isBusy ? TickTime.STALE_NANOS : IDLE_STALE_NANOS);
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

  // ---------------------------------------------------------------- what it reports

  private void takeQueue(int port) {
    long packets = reports.queues.packets(port);
    long marks = reports.queues.marks(port);
    if (packets > 0 || marks > 0) {
      report(port, marks, packets == 0 ? 1 : Math.min(1, (double) marks / packets));
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
    state.counters.add(Figure.MARKS_ENTERED, marks + pending[port] - whole);
    pending[port] = 0;
    state.ports.estimatedMarks[port] |= !own.isMetered(port);
    double perSecond = marks * part * 1e9 / reports.meters.nanos(entrance);
    double packets = own.packetsPerSecond(port, entrance);
    report(port, whole, packets > 0 ? Math.min(1, perSecond / packets) : 0);
  }

  private void report(int port, long marks, double part) {
    markedPart[port] = part;
    reportedAt[port] = time.now;
    reported[port] = marks;
    if (marks > 0) {
      reporting.add(port);
    }
  }

  /** What agent or meters report on just this port, for the attribution of what hosts count. */
  private double measured(int port) {
    if (state.ports.isReceiver[port]) {
      return reports.queues.markedPart(port);
    }
    if (signals != Signals.AUTO) {
      return OwnMarks.UNMEASURED;
    }
    return isRecent(port, reports.queues.reportedAt(port))
        ? reports.queues.markedPart(port)
        : own.part(port);
  }

  // ---------------------------------------------------------------- for others

  /** Ports whose source has changed in this tick. */
  public IntList changed() {
    return changed;
  }

  /** Ports whose agents or meters, being in force, have reported marks in this tick. */
  IntList reporting() {
    return reporting;
  }

  /** Marks of a {@link #reporting} port. */
  long reportedMarks(int port) {
    return reported[port];
  }

  /** The source in force; null while none has reported. */
  public MarkSource source(int port) {
    return port < source.length ? source[port] : null;
  }

  /** The part of its packets that a port marks, or {@link OwnMarks#UNMEASURED}. */
  public double exact(int port) {
    return exact[port];
  }

  /** Ends the period: turns packets and marks into shares, and counts packets anew. */
  public void closePeriod(long controlPeriodNanos) {
    PortTable ports = state.ports;
    for (int p : ports.inUse.rows()) {
      if (source[p] == MarkSource.PORTS || source[p] == MarkSource.METERS) {
        ports.ceShare[p] = isCurrent(p, controlPeriodNanos) ? markedPart[p] : 0;
      } else if (ports.packets16[p] > 0) {
        ports.ceShare[p] = Math.min(1, ports.marks[p] * 65536.0 / ports.packets16[p]);
        reportedAt[p] = time.now;
      } else if (ports.loadBitsPerSecond[p] == 0) {
        ports.ceShare[p] = 0;
      }
      ports.packets16[p] = 0;
    }
  }

  /** Whether the port's CE share is of now, or near enough. */
  public boolean isCurrent(int port, long controlPeriodNanos) {
    return time.now - reportedAt[port] <= Math.max(HOLD_NANOS, 2 * controlPeriodNanos);
  }

  /** Packets per second through the port, by whichever source reports. */
  public double packetsPerSecond(int port) {
    return own.packetsPerSecond(port, state.links.peer(port));
  }
}

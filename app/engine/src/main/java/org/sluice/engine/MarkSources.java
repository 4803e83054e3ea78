// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.Arrays;
import org.sluice.api.PortStatus.MarkSource;
import org.sluice.engine.EngineParameters.Signals;
import org.sluice.engine.EngineStatistics.Figure;

/**
 * Whose count of a port's marks holds, and what it says. In the order of precedence:
 *
 * <ol>
 *   <li>the port's own agent: packets that found more than the threshold in its queue;
 *   <li>the hosts that are reached through it: {@link Attribution} gives it marks of paths;
 *   <li>the mark meter of the switch that it leads to: alpha_p = the CE that is counted there, less
 *       the CE that had entered p's own switch and left for p ({@link Transits}).
 * </ol>
 *
 * Two are never summed. One that falls silent gives way to the next that tells, and takes its place
 * again with the first word.
 *
 * <p>The meters of two switches are not read at the same time. So the part of the marks that is the
 * port's own is taken from sums over about 50 ms, and applied to what was counted in this period:
 * never below 0, never above what was counted, and not late. A port that marks begin to come from
 * is not blamed before the meters of its own switch have been read too.
 */
final class MarkSources {
  /** A source of a port that carries something is silent after this (or two T_i), ns. */
  static final long SILENT_NANOS = 500_000_000L;

  /** Of one that carries nothing, agents report every second, ns. */
  static final long IDLE_SILENT_NANOS = 1_500_000_000L;

  /** Smaller excesses over what entered are taken for the difference of two readings. */
  static final double TOLERANCE = 0.2;

  /** What was counted is judged after so long, even if the own switch is not read, ns. */
  static final long SETTLE_NANOS = 250_000_000L;

  /** What is told of a port holds for so long if nothing newer comes, ns. */
  private static final long HOLD_NANOS = 20_000_000L;

  /** The exact marked part of a port that nobody measures. */
  static final double UNMEASURED = -1;

  private static final double PACKET_BITS = 12_000;
  private static final double NO_MARKS = 0.05;
  private static final long NEVER = Long.MIN_VALUE / 2;

  private final World world;
  private final IntList changed = new IntList();
  private final IntList tellers = new IntList();

  private MarkSource[] source = {};
  private long[] hostsAt = {};
  private double[] hostPackets = {};
  private double[] edgeWindow = {};
  private double[] entered = {};
  private double[] exact = {};
  private long[] marksSince = {};
  private long[] pending = {};
  private double[] carry = {};
  private long[] told = {};
  private double[] markedPart = {};
  private long[] toldAt = {};

  // By switch: when the last of its meters was read, and whether all that matter are.
  private long[] readAt = {};
  private boolean[] metered = {};

  // Of the tick:
  private long now;
  private long heard;
  private long stepNanos;
  private double left;
  private double seconds;
  private Signals signals;

  MarkSources(World world) {
    this.world = world;
  }

  private void follow() {
    world.followPorts();
    int before = source.length;
    if (before < world.ports.size()) {
      int size = world.ports.id.length;
      source = Arrays.copyOf(source, size);
      hostsAt = longs(hostsAt, size);
      hostPackets = Arrays.copyOf(hostPackets, size);
      edgeWindow = Arrays.copyOf(edgeWindow, size);
      entered = Arrays.copyOf(entered, size);
      exact = Arrays.copyOf(exact, size);
      marksSince = longs(marksSince, size);
      pending = Arrays.copyOf(pending, size);
      carry = Arrays.copyOf(carry, size);
      told = Arrays.copyOf(told, size);
      markedPart = Arrays.copyOf(markedPart, size);
      toldAt = longs(toldAt, size);
    }
    for (int port = 0; port < world.ports.size(); port++) {
      world.links.switchOf(port);
    }
    if (readAt.length < world.links.switchCount()) {
      readAt = new long[2 * world.links.switchCount()];
      metered = new boolean[readAt.length];
    }
  }

  private static long[] longs(long[] of, int size) {
    long[] result = Arrays.copyOf(of, size);
    Arrays.fill(result, of.length, size, NEVER);
    return result;
  }

  /**
   * Chooses sources and takes down what agents and meters say.
   *
   * @param sinceLastNanos since the last tick, above 0
   */
  void tick(long nowNanos, long sinceLastNanos, Signals wanted) {
    follow();
    now = nowNanos;
    stepNanos = sinceLastNanos;
    heard = now - stepNanos; // Samples bear the time of the tick before them.
    signals = wanted;
    left = SmoothedRate.remaining(stepNanos);
    seconds = stepNanos / 1e9 / (1 - left);
    changed.clear();
    tellers.clear();
    world.meters.tick(left);
    world.queues.tick(left);
    lookAtSwitches();
    spreadEntered();
    for (int port = 0, n = world.ports.size(); port < n; port++) {
      look(port);
    }
    world.meters.clear();
    world.queues.clear();
  }

  private void lookAtSwitches() {
    for (int s = 0; s < world.links.switchCount(); s++) {
      IntList entrances = world.links.entrances(s);
      long read = Long.MAX_VALUE;
      boolean all = true;
      for (int i = 0; i < entrances.size(); i++) {
        int entrance = entrances.get(i);
        if (world.ports.loadBitsPerSecond[world.links.feeder(entrance)] > 0) {
          long at = world.meters.heardAt(entrance);
          read = Math.min(read, at);
          all &= world.meters.hasMeter(entrance) && isFresh(at);
        }
      }
      readAt[s] = read;
      metered[s] = all;
    }
  }

  /** What has entered switches with CE, by the ports that it leaves by. */
  private void spreadEntered() {
    Arrays.fill(entered, 0, world.ports.size(), 0);
    IntList all = world.meters.metered();
    for (int i = 0; i < all.size(); i++) {
      int entrance = all.get(i);
      double marks = world.meters.window(entrance);
      if (marks >= NO_MARKS) {
        world.transits.spread(entrance, marks, now, entered);
      }
    }
  }

  private void look(int port) {
    PortTable ports = world.ports;
    hostPackets[port] = hostPackets[port] * left + ports.packets16[port] / 65536.0;
    edgeWindow[port] = edgeWindow[port] * left + ports.lastHopMarks[port];
    ports.lastHopMarks[port] = 0;
    if (ports.packets16[port] > 0) {
      hostsAt[port] = heard;
    }
    if (ports.capacityBitsPerSecond[port] == 0) {
      exact[port] = UNMEASURED;
      return;
    }
    int entrance = world.links.peer(port);
    choose(port, entrance);
    double counted = counted(port, entrance);
    if (counted < NO_MARKS) {
      marksSince[port] = NEVER;
    } else if (marksSince[port] == NEVER) {
      marksSince[port] = heard;
    }
    exact[port] = exact(port, entrance, counted);
    if (source[port] == MarkSource.PORTS) {
      takeQueue(port);
    } else if (source[port] == MarkSource.METERS) {
      takeMeter(port, entrance, counted);
    }
  }

  /** Marks of the last 50 ms or so, wherever they were set, at the port's next hop. */
  private double counted(int port, int entrance) {
    return entrance == Links.NONE ? edgeWindow[port] : world.meters.window(entrance);
  }

  // ---------------------------------------------------------------- who is believed

  private void choose(int port, int entrance) {
    MarkSource present = source[port];
    MarkSource best = null;
    if (isAllowed(Signals.PORTS) && isHeard(port, world.queues.heardAt(port))) {
      best = MarkSource.PORTS;
    } else if (isAllowed(Signals.HOSTS) && isHeard(port, hostsAt[port])) {
      best = MarkSource.HOSTS;
    } else if (isAllowed(Signals.METERS)
        && entrance != Links.NONE
        && isHeard(port, world.meters.heardAt(entrance))) {
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
    long silent = world.ports.loadBitsPerSecond[port] > 0 ? SILENT_NANOS : IDLE_SILENT_NANOS;
    return heard - at < Math.max(silent, 2 * stepNanos);
  }

  /** Whether something that should be read all the time has been read of late. */
  private boolean isFresh(long at) {
    return heard - at < Math.max(SILENT_NANOS, 2 * stepNanos);
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
    long packets = world.queues.packets(port);
    long marks = world.queues.marks(port);
    if (packets > 0 || marks > 0) {
      tell(port, marks, packets == 0 ? 1 : Math.min(1, (double) marks / packets));
    }
  }

  private void takeMeter(int port, int entrance, double counted) {
    if (entrance == Links.NONE || world.meters.nanos(entrance) == 0) {
      return;
    }
    long marks = world.meters.marks(entrance);
    if (!isSettled(port)) {
      pending[port] += marks;
      return;
    }
    double own = ownPart(counted, entered[port]);
    double all = (marks + pending[port]) * own + carry[port];
    long whole = (long) all;
    carry[port] = own == 0 ? 0 : all - whole;
    world.counters.add(Figure.MARKS_ENTERED, marks + pending[port] - whole);
    pending[port] = 0;
    world.ports.estimatedMarks[port] |= !metered[world.links.switchOf(port)];
    double perSecond = marks * own * 1e9 / world.meters.nanos(entrance);
    double packets = packetsPerSecond(port, entrance);
    tell(port, whole, packets > 0 ? Math.min(1, perSecond / packets) : 0);
  }

  /** The part of counted marks that did not enter with CE; 0 if the excess may be an accident. */
  static double ownPart(double counted, double entered) {
    return counted - entered <= TOLERANCE * entered ? 0 : 1 - entered / counted;
  }

  /** Whether the meters of the own switch have been read since marks came from the port. */
  private boolean isSettled(int port) {
    long since = marksSince[port];
    return readAt[world.links.switchOf(port)] > since
        || now - since >= Math.max(SETTLE_NANOS, 2 * stepNanos);
  }

  private double packetsPerSecond(int port, int entrance) {
    double bySwitch = world.rates.through(port, entrance, heard);
    if (bySwitch > 0) {
      return bySwitch;
    }
    // While traffic begins the sum over 50 ms is too low; where packets are small the other is.
    return Math.max(hostPackets[port] / seconds, world.ports.loadBitsPerSecond[port] / PACKET_BITS);
  }

  private void tell(int port, long marks, double part) {
    markedPart[port] = part;
    toldAt[port] = now;
    told[port] = marks;
    if (marks > 0) {
      tellers.add(port);
    }
  }

  /**
   * The marked part of a port's packets as far as its agent or meters tell of just this port, for
   * the attribution of what hosts count.
   */
  private double exact(int port, int entrance, double counted) {
    if (signals != Signals.AUTO) {
      return UNMEASURED;
    }
    if (isHeard(port, world.queues.heardAt(port))) {
      return world.queues.markedPart(port);
    }
    int here = world.links.switchOf(port);
    boolean isCounted =
        entrance == Links.NONE
            ? !world.links.entrances(here).isEmpty() && isFresh(hostsAt[port])
            : isFresh(world.meters.heardAt(entrance));
    if (!isCounted || !metered[here] || !isSettled(port)) {
      return UNMEASURED;
    }
    if (counted < NO_MARKS) {
      return 0;
    }
    double packets =
        entrance == Links.NONE ? hostPackets[port] / seconds : packetsPerSecond(port, entrance);
    double own = counted * ownPart(counted, entered[port]) / seconds;
    return packets > 0 ? Math.min(1, own / packets) : 0;
  }

  // ---------------------------------------------------------------- for others

  /** Ports whose source has changed in this tick. */
  IntList changed() {
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
  MarkSource source(int port) {
    return port < source.length ? source[port] : null;
  }

  /** See {@link #UNMEASURED}. */
  double exact(int port) {
    return exact[port];
  }

  /** Ends the period: turns packets and marks into shares, and counts packets anew. */
  void closePeriod(long controlPeriodNanos) {
    PortTable ports = world.ports;
    for (int p = 0, n = ports.size(); p < n; p++) {
      if (source[p] == MarkSource.PORTS || source[p] == MarkSource.METERS) {
        ports.ceShare[p] = isTold(p, controlPeriodNanos) ? markedPart[p] : 0;
      } else if (ports.packets16[p] > 0) {
        ports.ceShare[p] = Math.min(1, ports.marks[p] * 65536.0 / ports.packets16[p]);
        toldAt[p] = now;
      } else if (ports.loadBitsPerSecond[p] == 0) {
        ports.ceShare[p] = 0;
      }
      ports.packets16[p] = 0;
    }
  }

  /** Whether the port's CE share is of now, or near enough. */
  boolean isTold(int port, long controlPeriodNanos) {
    return now - toldAt[port] <= Math.max(HOLD_NANOS, 2 * controlPeriodNanos);
  }

  /** Packets per second through the port, by whoever tells. */
  double packetsPerSecond(int port) {
    return packetsPerSecond(port, world.links.peer(port));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.marks;

import java.util.Arrays;
import org.sluice.engine.collections.IntList;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.Links;
import org.sluice.engine.time.TickTime;

/**
 * Which part of the marks that are counted behind a port are its own: those that had not entered
 * its switch with CE and left for it ({@link Transits}).
 *
 * <p>The meters of two switches are not read at the same time, so the part is taken from sums over
 * about 50 ms. A port that marks begin to come from is not judged before it can be known what had
 * entered: at once where no path comes from another switch; else when the meters of its switch have
 * been read too and, if they count marks, when it has been evaluated where these come from. That
 * needs the ports upstream to be judged: where all begin at once, hop by hop.
 */
final class OwnMarks {
  /** Smaller excesses over what entered are taken for the difference of two readings. */
  static final double TOLERANCE = 0.2;

  /** A port is judged after so long, even if its own switch is not read, ns. */
  static final long SETTLE_NANOS = 250_000_000L;

  /** And after so long even if ports upstream have not been judged, ns. */
  private static final long SETTLE_UPSTREAM_NANOS = 2 * SETTLE_NANOS;

  /** The marked part of a port that is not measured. */
  static final double UNMEASURED = -1;

  /** Sums below count as no marks. */
  static final double NO_MARKS = 0.05;

  private static final double PACKET_BITS = 12_000;
  private static final long NEVER = Long.MIN_VALUE / 2;

  private final EngineState state;
  private final MarkReports reports;
  private final Transits transits;
  private final TickTime time;
  private double[] entered = {};
  private long[] marksSince = {};
  private boolean[] settled = {};
  private double[] part = {};

  /** What the port marks of what crosses it unmarked, for those downstream. */
  private double[] markedPart = {};

  /** Whether, at the last tick, some port could not be judged yet. */
  private boolean isAnyUnsettled;

  /** Ports behind which marks are counted, of this tick. */
  private int[] marking = {};

  // By switch: when the last of its meters was read, whether all that matter are, and any counts.
  private long[] readAt = {};
  private boolean[] metered = {};
  private boolean[] entering = {};
  private boolean[] unknown = {};

  OwnMarks(EngineState state, MarkReports reports, TickTime time) {
    this.state = state;
    this.reports = reports;
    this.transits = new Transits(state);
    this.time = time;
  }

  void follow() {
    int before = part.length;
    if (before < state.ports.size()) {
      int size = state.ports.id.length;
      entered = Arrays.copyOf(entered, size);
      marksSince = Arrays.copyOf(marksSince, size);
      Arrays.fill(marksSince, before, size, NEVER);
      settled = Arrays.copyOf(settled, size);
      part = Arrays.copyOf(part, size);
      Arrays.fill(part, before, size, UNMEASURED);
      markedPart = Arrays.copyOf(markedPart, size);
      marking = new int[size];
    }
    if (readAt.length < state.links.switchCount()) {
      int size = 2 * state.links.switchCount();
      readAt = new long[size];
      metered = new boolean[size];
      entering = new boolean[size];
      unknown = new boolean[size];
    }
  }

  /** Judges all ports. */
  void tick() {
    checkSwitches();
    transits.tick(time.now, time.stepNanos, isAnyUnsettled, markedPart);
    takeEntered();
    int count = passQuietPorts();
    isAnyUnsettled = false;
    for (int i = 0; i < count; i++) {
      judge(marking[i]);
    }
  }

  private void checkSwitches() {
    for (int s = 0; s < state.links.switchCount(); s++) {
      IntList entrances = state.links.entrances(s);
      long read = Long.MAX_VALUE;
      boolean all = true;
      boolean any = false;
      for (int i = 0; i < entrances.size(); i++) {
        int entrance = entrances.get(i);
        if (state.ports.loadBitsPerSecond[state.links.feeder(entrance)] > 0) {
          long at = reports.meters.reportedAt(entrance);
          read = Math.min(read, at);
          all &= reports.meters.hasMeter(entrance) && time.isFresh(at);
          any |= reports.meters.window(entrance) >= NO_MARKS;
        }
      }
      readAt[s] = read;
      metered[s] = all;
      entering[s] = any;
    }
  }

  /** Hands out what enters; where that will be known only soon, no port can be judged. */
  private void takeEntered() {
    Arrays.fill(unknown, false);
    IntList all = reports.meters.metered();
    for (int i = 0; i < all.size(); i++) {
      int entrance = all.get(i);
      double marks = reports.meters.window(entrance);
      if (marks >= NO_MARKS && !transits.enter(entrance, marks)) {
        unknown[state.links.switchOf(entrance)] = true;
      }
    }
  }

  /**
   * Settles ports behind which no marks are counted: they do not mark, or it is not known. These
   * are nearly all: the loop calls nothing, so that what all of them need is fetched once.
   *
   * @return how many others there are, in {@link #marking}
   */
  private int passQuietPorts() {
    int count = 0;
    for (int port : state.ports.inUse.rows()) {
      int entrance = state.links.peer(port);
      if (counted(port, entrance) >= NO_MARKS) {
        marking[count++] = port;
      } else {
        boolean isCounted = isCounted(port, entrance);
        marksSince[port] = NEVER;
        settled[port] = true;
        part[port] = isCounted ? 0 : UNMEASURED;
        markedPart[port] = isCounted ? 0 : state.ports.ceShare[port];
      }
    }
    return count;
  }

  private void judge(int port) {
    int entrance = state.links.peer(port);
    double counted = counted(port, entrance);
    if (marksSince[port] == NEVER) {
      marksSince[port] = time.sampledAt;
    }
    settled[port] = isJudged(port);
    isAnyUnsettled |= !settled[port];
    if (settled[port]) {
      boolean isAny = state.ports.pathsFromElsewhere[port] > 0;
      entered[port] = isAny ? transits.entered(port) : 0;
      measure(port, entrance, counted);
    } else {
      part[port] = UNMEASURED;
      markedPart[port] = Transits.UNJUDGED;
    }
  }

  private void measure(int port, int entrance, double counted) {
    if (!isCounted(port, entrance)) {
      part[port] = UNMEASURED;
      markedPart[port] = state.ports.ceShare[port];
      return;
    }
    double ownPart = ownPart(counted, entered[port]);
    if (ownPart == 0) {
      // Most ports behind which marks are counted only pass them on.
      part[port] = 0;
      markedPart[port] = 0;
      return;
    }
    double packets = packets(port, entrance);
    double own = Math.min(packets, counted * ownPart);
    double unmarked = packets - Math.min(packets, entered[port]);
    part[port] = packets > 0 ? own / packets : 0;
    markedPart[port] = own < unmarked ? own / unmarked : own > 0 ? 1 : 0;
  }

  /** Whether marks are counted behind the port, and all that may have entered. */
  private boolean isCounted(int port, int entrance) {
    boolean isBehind =
        entrance == Links.NONE
            ? !state.links.entrances(state.links.switchOf(port)).isEmpty()
                && time.isFresh(reports.hosts.reportedAt(port))
            : time.isFresh(reports.meters.reportedAt(entrance));
    return isBehind && isMetered(port);
  }

  /** Marks of the last 50 ms or so, wherever they were set, at the port's next hop. */
  private double counted(int port, int entrance) {
    return entrance == Links.NONE ? reports.hosts.edgeMarks(port) : reports.meters.window(entrance);
  }

  private boolean isJudged(int port) {
    if (state.ports.pathsFromElsewhere[port] == 0) {
      return true;
    }
    long since = marksSince[port];
    int here = state.links.switchOf(port);
    if (readAt[here] <= since || entering[here] && !transits.isKnownSince(since)) {
      return time.hasPassed(since, SETTLE_NANOS);
    }
    return !entering[here]
        || !unknown[here] && !transits.isOverUnjudged(port)
        || time.hasPassed(since, SETTLE_UPSTREAM_NANOS);
  }

  /** The part of counted marks that did not enter with CE; 0 if the excess may be an accident. */
  static double ownPart(double counted, double entered) {
    return counted - entered <= TOLERANCE * entered ? 0 : 1 - entered / counted;
  }

  /** Packets through the port, over as long as marks are summed over. */
  private double packets(int port, int entrance) {
    return entrance == Links.NONE
        ? reports.hosts.packets(port)
        : packetsPerSecond(port, entrance) * time.seconds;
  }

  /** Packets per second through a port, by whichever source reports. */
  double packetsPerSecond(int port, int entrance) {
    double bySwitch = reports.rates.through(port, entrance, time.sampledAt);
    if (bySwitch > 0) {
      return bySwitch;
    }
    // While traffic begins the sum over 50 ms is too low; where packets are small the other is.
    return Math.max(
        reports.hosts.packets(port) / time.seconds,
        state.ports.loadBitsPerSecond[port] / PACKET_BITS);
  }

  /** Whether it is known, or was waited for long enough, what had entered with CE. */
  boolean isSettled(int port) {
    return settled[port];
  }

  /** Whether all that may have entered with CE is read. */
  boolean isMetered(int port) {
    return state.ports.pathsFromElsewhere[port] == 0 || metered[state.links.switchOf(port)];
  }

  /** The part of the marks counted at the port's entrance that are its own. */
  double ownPart(int port, int entrance) {
    return ownPart(counted(port, entrance), entered[port]);
  }

  /** The part of its packets that the port marks, or {@link #UNMEASURED}. */
  double part(int port) {
    return part[port];
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.marks;

import java.util.Arrays;
import org.sluice.api.PortStatus.MarkSource;
import org.sluice.engine.collections.IntList;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.PathMarks;
import org.sluice.engine.state.PortTable;
import org.sluice.engine.state.SharedMarks;
import org.sluice.engine.statistics.EngineStatistics.Figure;

/**
 * Finds the port that set the CE marks which a receiver counted. Where port agents or meters report
 * which ports of the path mark, its marks go to those, divided by their marked parts ({@link
 * MarkSources#exact}); that they are sums of many packets makes up for a path being few. Where they
 * do not, all marks of a path go to one port of it, of those that are not known not to mark: the
 * one with the highest load over capacity. Loads within {@link #TIE} of the highest are a tie, won
 * by the smaller capacity, then by the port most upstream (behind a bottleneck the load looks the
 * same as in it). The choice sticks until another port is busier by {@link #HYSTERESIS}, so that
 * noise in the loads does not move control to and fro, and it is reconsidered every {@link
 * #RECONSIDER_NANOS}, a part of the paths each time: loads do not change faster than that.
 *
 * <p>By load marks are not divided: a second bottleneck is found as soon as the first is
 * controlled, and a pair obeys the lowest limit of all.
 */
public final class Attribution {
  /** Relative distance below the highest load within which ports tie. */
  static final double TIE = 0.05;

  /** How far another port's relative load must exceed the present one's to take its place. */
  static final double HYSTERESIS = 0.1;

  /** A path's choice is evaluated again after at most so long, ns. */
  public static final long RECONSIDER_NANOS = 20_000_000L;

  /**
   * So many words of 64 paths have their turn together: few enough for turns to be equal, enough
   * for what they take to be fetched in a row.
   */
  private static final int TOGETHER = 8;

  /** A smaller marked part counts as none. */
  static final double MARKING = 0.01;

  // What is known of a port, a byte each, so that what is read for all paths fits the nearest
  // cache:
  private static final byte MARKS = 1;
  private static final byte IS_MEASURED = 2;

  /** It is not measured, and has a capacity. */
  private static final byte MAY_MARK = 4;

  private final EngineState state;
  private final MarkSources sources;
  private final IntList markedPorts = new IntList();
  private byte[] known = {};

  /** By port: the part of its packets that it marks; 0 if that is not known, or below MARKING. */
  private double[] marking = {};

  private int turn;

  // Of the tick, for the counters:
  private long attributed;
  private long superseded;

  public Attribution(EngineState state, MarkSources sources) {
    this.state = state;
    this.sources = sources;
  }

  /** Rows of the ports that got marks at the last {@link #tick}. */
  public IntList markedPorts() {
    return markedPorts;
  }

  /** Forgets the previous period's marks. */
  public void begin() {
    for (int i = 0; i < markedPorts.size(); i++) {
      int port = markedPorts.get(i);
      state.ports.marks[port] = 0;
      state.ports.estimatedMarks[port] = false;
    }
    markedPorts.clear();
  }

  /**
   * Hands each path's marks to its port, and each other source's to the port that it reports on.
   *
   * @param byHosts whether hosts may be a source of any port
   */
  public void tick(long controlPeriodNanos, boolean byHosts) {
    state.ports.measure();
    IntList reporting = sources.reporting();
    for (int i = 0; i < reporting.size(); i++) {
      give(reporting.get(i), sources.reportedMarks(reporting.get(i)));
    }
    if (byHosts) {
      learn();
      reconsider(controlPeriodNanos);
      leaveLostPorts();
      attributeOpen();
      divideShared();
    } else {
      superseded += state.paths.marks.openCount();
    }
    giveMarksOfPaths(byHosts);
    state.paths.marks.clear();
    state.counters.add(Figure.MARKS_ATTRIBUTED, attributed);
    state.counters.add(Figure.MARKS_SUPERSEDED, superseded);
    attributed = 0;
    superseded = 0;
  }

  private void learn() {
    if (known.length < state.ports.size()) {
      known = Arrays.copyOf(known, state.ports.id.length);
      marking = new double[known.length];
    }
    int changes = 0;
    for (int port : state.ports.inUse.rows()) {
      if (state.ports.isReceiver[port]) {
        continue; // What it marks is not among the marks of paths.
      }
      double part = sources.exact(port);
      marking[port] = part >= MARKING ? part : 0;
      byte before = known[port];
      if (part == OwnMarks.UNMEASURED) {
        known[port] = state.ports.relativeLoad[port] >= 0 ? MAY_MARK : 0;
      } else {
        known[port] = part >= MARKING ? MARKS | IS_MEASURED : IS_MEASURED;
      }
      changes |= before ^ known[port];
    }
    if ((changes & MARKS) != 0) {
      state.paths.marks.unsettle();
    }
  }

  /** Evaluates again those paths with marks whose turn it is. */
  private void reconsider(long controlPeriodNanos) {
    int turns = (int) Math.max(1, RECONSIDER_NANOS / controlPeriodNanos);
    turn = turn + 1 < turns ? turn + 1 : 0;
    int words = state.paths.marks.words();
    for (int word = turn * TOGETHER; word < words; word += turns * TOGETHER) {
      reconsider(word, Math.min(words, word + TOGETHER));
    }
  }

  private void reconsider(int fromWord, int toWord) {
    PathMarks marks = state.paths.marks;
    for (int word = fromWord; word < toWord; word++) {
      for (long left = marks.unsettled(word); left != 0; left &= left - 1) {
        choose(word * Long.SIZE + Long.numberOfTrailingZeros(left));
      }
    }
  }

  /** A port that has lost its capacity gets no marks: others on these paths do. */
  private void leaveLostPorts() {
    if (!isAnyLost()) {
      return;
    }
    PathMarks marks = state.paths.marks;
    for (int word = 0; word < marks.words(); word++) {
      for (long left = marks.marked(word); left != 0; left &= left - 1) {
        int path = word * Long.SIZE + Long.numberOfTrailingZeros(left);
        if (marks.port(path) >= 0 && state.ports.relativeLoad[marks.port(path)] < 0) {
          choose(path);
        }
      }
    }
  }

  private boolean isAnyLost() {
    for (int port : state.ports.inUse.rows()) {
      if (state.ports.pathMarks[port] > 0 && state.ports.relativeLoad[port] < 0) {
        return true;
      }
    }
    return false;
  }

  /** The marks of paths that no port gets: they are new, or there was none. */
  private void attributeOpen() {
    PathMarks marks = state.paths.marks;
    for (int word = 0; word < marks.words(); word++) {
      for (long left = marks.open(word); left != 0; left &= left - 1) {
        int path = word * Long.SIZE + Long.numberOfTrailingZeros(left);
        choose(path);
        countUnattributed(path);
      }
    }
  }

  private void countUnattributed(int path) {
    PathMarks marks = state.paths.marks;
    if (marks.port(path) == PathMarks.NO_PORT) {
      state.counters.add(Figure.MARKS_UNATTRIBUTED, marks.count(path));
    }
  }

  /** The marks of paths of which several ports mark, or did when they were evaluated last. */
  private void divideShared() {
    SharedMarks shared = state.paths.marks.shared;
    for (int row = 0, n = shared.limit(); row < n; row++) {
      if (shared.isMarked(row) && !shared.divide(row, marking)) {
        int path = shared.path(row);
        choose(path);
        countUnattributed(path);
      }
    }
  }

  private void giveMarksOfPaths(boolean byHosts) {
    PortTable ports = state.ports;
    for (int port : ports.inUse.rows()) {
      long marks = ports.pathMarks[port];
      if (marks > 0) {
        if (byHosts) {
          giveHosts(port, marks, ports.estimatedPathMarks[port]);
        } else {
          superseded += marks;
        }
      }
      ports.pathMarks[port] = 0;
      ports.estimatedPathMarks[port] = false;
    }
  }

  /** Two sources are never summed: what hosts count for a port counts where they are its source. */
  private void giveHosts(int port, long marks, boolean estimated) {
    if (sources.source(port) == MarkSource.HOSTS) {
      give(port, marks);
      state.ports.estimatedMarks[port] |= estimated;
    } else {
      superseded += marks;
    }
  }

  private void give(int port, long marks) {
    if (marks > 0) {
      if (state.ports.marks[port] == 0) {
        markedPorts.add(port);
      }
      state.ports.marks[port] += marks;
      attributed += marks;
    }
  }

  private void choose(int path) {
    PathMarks marks = state.paths.marks;
    marks.choose(path, portOf(path, marks.port(path)), state.paths.isEstimated(path));
  }

  /** The port of the path that sets its marks; several; none if no capacity is known. */
  private int portOf(int path, int present) {
    int first = state.paths.firstHop(path);
    int end = first + state.paths.hopCount(path);
    int count = 0;
    int sum = 0;
    int all = 0;
    for (int hop = first; hop < end; hop++) {
      int port = state.paths.portAt(hop);
      int marks = known[port] & MARKS;
      all |= known[port];
      count += marks;
      sum += marks * port;
    }
    state.paths.marks.settle(path, count > 0);
    if (count > 0) {
      return count == 1 ? sum : PathMarks.SEVERAL;
    }
    return byLoad(first, end, present, all == (IS_MEASURED | MAY_MARK));
  }

  /** By load, of those that are not measured if some are known not to mark. */
  private int byLoad(int first, int end, int present, boolean unmeasuredAlone) {
    double highest = -1;
    boolean isPresentThere = false;
    for (int hop = first; hop < end; hop++) {
      int port = state.paths.portAt(hop);
      if (!unmeasuredAlone || (known[port] & IS_MEASURED) == 0) {
        highest = Math.max(highest, state.ports.relativeLoad[port]);
        isPresentThere |= port == present;
      }
    }
    if (isPresentThere
        && state.ports.relativeLoad[present] >= 0
        && highest <= state.ports.relativeLoad[present] * (1 + HYSTERESIS)) {
      return present;
    }
    return highest < 0 ? PathMarks.NO_PORT : best(first, end, highest, unmeasuredAlone);
  }

  /** Of the ports that tie with the highest load, the one of the smallest capacity. */
  private int best(int first, int end, double highest, boolean unmeasuredAlone) {
    int chosen = PathMarks.NO_PORT;
    for (int hop = first; hop < end; hop++) {
      int port = state.paths.portAt(hop);
      boolean isCandidate = !unmeasuredAlone || (known[port] & IS_MEASURED) == 0;
      if (isCandidate
          && state.ports.relativeLoad[port] >= highest * (1 - TIE)
          && (chosen < 0 || capacity(port) < capacity(chosen))) {
        chosen = port;
      }
    }
    return chosen;
  }

  private long capacity(int port) {
    return state.ports.capacityBitsPerSecond[port];
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import org.sluice.api.PortStatus.MarkSource;
import org.sluice.engine.EngineStatistics.Figure;

/**
 * Finds the port that set the CE marks which a receiver counted. Where port agents or meters tell
 * which ports of the path mark, its marks go to those, divided by their marked parts ({@link
 * MarkSources#exact}); that they are sums of many packets makes up for a path being few. Where they
 * do not tell, all marks of a path go to one port of it, of those that are not known to be silent:
 * the one with the highest load over capacity. Loads within {@link #TIE} of the highest are a tie,
 * won by the smaller capacity, then by the port most upstream (behind a bottleneck the load looks
 * the same as in it). The choice sticks until another port is busier by {@link #HYSTERESIS}, so
 * that noise in the loads does not move control to and fro, and it is reconsidered every {@link
 * #RECONSIDER_NANOS}, a part of the paths each time: loads do not change faster than that.
 *
 * <p>By load marks are not divided: a second bottleneck is found as soon as the first is
 * controlled, and a pair obeys the lowest limit of all.
 */
final class Attribution {
  /** Relative distance below the highest load within which ports tie. */
  static final double TIE = 0.05;

  /** How far another port's relative load must exceed the present one's to take its place. */
  static final double HYSTERESIS = 0.1;

  /** A path's choice is looked at again after at most so long, ns. */
  static final long RECONSIDER_NANOS = 20_000_000L;

  /** A smaller marked part says nothing. */
  static final double MARKING = 0.01;

  /** Several ports of the path mark. */
  private static final int SEVERAL = -2;

  private final World world;
  private final MarkSources sources;
  private final IntList markedPorts = new IntList();
  private double[] weights = new double[16];
  private int turn;

  // Of the tick, for the counters:
  private long attributed;
  private long toldOtherwise;

  Attribution(World world, MarkSources sources) {
    this.world = world;
    this.sources = sources;
  }

  /** Rows of the ports that got marks at the last {@link #tick}. */
  IntList markedPorts() {
    return markedPorts;
  }

  /** Forgets the previous period's marks. */
  void begin() {
    for (int i = 0; i < markedPorts.size(); i++) {
      int port = markedPorts.get(i);
      world.ports.marks[port] = 0;
      world.ports.estimatedMarks[port] = false;
    }
    markedPorts.clear();
  }

  /**
   * Hands each path's marks to its port, and each other source's to the port that it tells of.
   *
   * @param byHosts whether hosts may be anybody's source
   */
  void tick(long controlPeriodNanos, boolean byHosts) {
    world.ports.measure();
    IntList tellers = sources.tellers();
    for (int i = 0; i < tellers.size(); i++) {
      give(tellers.get(i), sources.toldMarks(tellers.get(i)));
    }
    // A power of two, and of neighbours together: it is asked for tens of thousands of paths.
    int turns = Integer.highestOneBit((int) Math.max(1, RECONSIDER_NANOS / controlPeriodNanos));
    turn = turn + 1 & turns - 1;
    PathTable paths = world.paths;
    for (int path = paths.nextMarked(0); path >= 0; path = paths.nextMarked(path + 1)) {
      long marks = paths.takeMarks(path);
      if (byHosts) {
        attribute(path, marks, (path / Long.SIZE & turns - 1) == turn);
      } else {
        toldOtherwise += marks;
      }
    }
    world.counters.add(Figure.MARKS_ATTRIBUTED, attributed);
    world.counters.add(Figure.MARKS_TOLD_OTHERWISE, toldOtherwise);
    attributed = 0;
    toldOtherwise = 0;
  }

  private void attribute(int path, long marks, boolean reconsider) {
    int port = world.paths.attributedPort[path];
    boolean isLost = port != SEVERAL && (port < 0 || world.ports.relativeLoad[port] < 0);
    if (reconsider || isLost) {
      port = choose(path, port);
      world.paths.attributedPort[path] = port;
    }
    if (port == SEVERAL) {
      if (!divide(path, marks)) {
        attribute(path, marks, true); // None of them marks any longer.
      }
    } else if (port < 0) {
      world.counters.add(Figure.MARKS_UNATTRIBUTED, marks);
    } else {
      giveHosts(port, marks, path);
    }
  }

  /** False: no port of the path is known to mark; nothing was done. */
  private boolean divide(int path, long marks) {
    int first = world.paths.firstHop[path];
    int count = world.paths.hopCount[path];
    if (weights.length < count) {
      weights = new double[2 * count];
    }
    double total = 0;
    int strongest = 0;
    for (int h = 0; h < count; h++) {
      weights[h] = weight(first + h);
      total += weights[h];
      strongest = weights[h] > weights[strongest] ? h : strongest;
    }
    if (total == 0) {
      return false;
    }
    long rest = marks;
    for (int h = 0; h < count; h++) {
      if (h != strongest && weights[h] > 0) {
        long part = (long) (marks * weights[h] / total);
        rest -= part;
        giveHosts(world.paths.portAt(first + h), part, path);
      }
    }
    giveHosts(world.paths.portAt(first + strongest), rest, path);
    return true;
  }

  private double weight(int hop) {
    double part = sources.exact(world.paths.portAt(hop));
    return part < MARKING ? 0 : part * world.paths.fraction16At(hop);
  }

  /** Two sources are never summed: what hosts count for a port counts where they are its source. */
  private void giveHosts(int port, long marks, int path) {
    if (sources.source(port) == MarkSource.HOSTS) {
      give(port, marks);
      world.ports.estimatedMarks[port] |= world.paths.estimated[path];
    } else {
      toldOtherwise += marks;
    }
  }

  private void give(int port, long marks) {
    if (marks > 0) {
      if (world.ports.marks[port] == 0) {
        markedPorts.add(port);
      }
      world.ports.marks[port] += marks;
      attributed += marks;
    }
  }

  /** The port of the path that sets its marks; {@link #SEVERAL}; -1 if no capacity is known. */
  private int choose(int path, int present) {
    double[] loads = world.ports.relativeLoad;
    int first = world.paths.firstHop[path];
    int end = first + world.paths.hopCount[path];
    int marking = 0;
    int last = -1;
    boolean isSilentKnown = false;
    boolean isAnyUnknown = false;
    for (int hop = first; hop < end; hop++) {
      int port = world.paths.portAt(hop);
      double part = sources.exact(port);
      if (part >= MARKING) {
        marking++;
        last = port;
      }
      isSilentKnown |= part != OwnMarks.UNMEASURED;
      isAnyUnknown |= part == OwnMarks.UNMEASURED && loads[port] >= 0;
    }
    if (marking > 0) {
      return marking == 1 ? last : SEVERAL;
    }
    return byLoad(first, end, present, isSilentKnown && isAnyUnknown);
  }

  /** By load, of those that nobody measures if some are known to be silent. */
  private int byLoad(int first, int end, int present, boolean unmeasuredAlone) {
    double highest = -1;
    boolean isPresentThere = false;
    for (int hop = first; hop < end; hop++) {
      int port = world.paths.portAt(hop);
      if (!unmeasuredAlone || sources.exact(port) == OwnMarks.UNMEASURED) {
        highest = Math.max(highest, world.ports.relativeLoad[port]);
        isPresentThere |= port == present;
      }
    }
    if (isPresentThere
        && world.ports.relativeLoad[present] >= 0
        && highest <= world.ports.relativeLoad[present] * (1 + HYSTERESIS)) {
      return present;
    }
    return highest < 0 ? -1 : best(first, end, highest, unmeasuredAlone);
  }

  /** Of the ports that tie with the highest load, the one of the smallest capacity. */
  private int best(int first, int end, double highest, boolean unmeasuredAlone) {
    int chosen = -1;
    for (int hop = first; hop < end; hop++) {
      int port = world.paths.portAt(hop);
      boolean isCandidate = !unmeasuredAlone || sources.exact(port) == OwnMarks.UNMEASURED;
      if (isCandidate
          && world.ports.relativeLoad[port] >= highest * (1 - TIE)
          && (chosen < 0 || capacity(port) < capacity(chosen))) {
        chosen = port;
      }
    }
    return chosen;
  }

  private long capacity(int port) {
    return world.ports.capacityBitsPerSecond[port];
  }
}

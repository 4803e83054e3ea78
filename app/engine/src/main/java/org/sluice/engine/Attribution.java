// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import org.sluice.engine.EngineStatistics.Figure;

/**
 * Finds the port that set the CE marks which a receiver counted. All marks of a path go to one port
 * of it: the one with the highest load over capacity. Loads within {@link #TIE} of the highest are
 * a tie, won by the smaller capacity, then by the port most upstream (behind a bottleneck the load
 * looks the same as in it). The choice sticks until another port is busier by {@link #HYSTERESIS},
 * so that noise in the loads does not move control to and fro, and it is reconsidered every {@link
 * #RECONSIDER_NANOS}, a part of the paths each time: loads do not change faster than that.
 *
 * <p>Marks are not divided among the ports of a path: a second bottleneck is found as soon as the
 * first is controlled, and a pair obeys the lowest limit of all.
 */
final class Attribution {
  /** Relative distance below the highest load within which ports tie. */
  static final double TIE = 0.05;

  /** How far another port's relative load must exceed the present one's to take its place. */
  static final double HYSTERESIS = 0.1;

  /** A path's choice is looked at again after at most so long, ns. */
  static final long RECONSIDER_NANOS = 20_000_000L;

  private final World world;
  private final IntList markedPorts = new IntList();
  private int turn;

  Attribution(World world) {
    this.world = world;
  }

  /** Rows of the ports that got marks at the last {@link #tick}. */
  IntList markedPorts() {
    return markedPorts;
  }

  /** Hands each path's marks to its port; forgets the previous period's. */
  void tick(long controlPeriodNanos) {
    clear();
    world.ports.measure();
    int turns = (int) Math.max(1, RECONSIDER_NANOS / controlPeriodNanos);
    turn = (turn + 1) % turns;
    PathTable paths = world.paths;
    for (int path = paths.nextMarked(0); path >= 0; path = paths.nextMarked(path + 1)) {
      attribute(path, paths.takeMarks(path), path % turns == turn);
    }
  }

  private void clear() {
    for (int i = 0; i < markedPorts.size(); i++) {
      int port = markedPorts.get(i);
      world.ports.marks[port] = 0;
      world.ports.estimatedMarks[port] = false;
    }
    markedPorts.clear();
  }

  private void attribute(int path, long marks, boolean reconsider) {
    int port = world.paths.attributedPort[path];
    if (reconsider || port < 0 || world.ports.relativeLoad[port] < 0) {
      port = choose(path, port);
      world.paths.attributedPort[path] = port;
    }
    if (port < 0) {
      world.counters.add(Figure.MARKS_UNATTRIBUTED, marks);
      return;
    }
    if (world.ports.marks[port] == 0) {
      markedPorts.add(port);
    }
    world.ports.marks[port] += marks;
    world.ports.estimatedMarks[port] |= world.paths.estimated[path];
    world.counters.add(Figure.MARKS_ATTRIBUTED, marks);
  }

  /** The port of the path that sets its marks; -1 if none of its capacities is known. */
  private int choose(int path, int present) {
    double[] loads = world.ports.relativeLoad;
    int first = world.paths.firstHop[path];
    int end = first + world.paths.hopCount[path];
    double highest = -1;
    for (int hop = first; hop < end; hop++) {
      highest = Math.max(highest, loads[world.paths.portAt(hop)]);
    }
    if (present >= 0 && loads[present] >= 0 && highest <= loads[present] * (1 + HYSTERESIS)) {
      return present;
    }
    return highest < 0 ? -1 : best(first, end, highest);
  }

  /** Of the ports that tie with the highest load, the one of the smallest capacity. */
  private int best(int first, int end, double highest) {
    int chosen = -1;
    for (int hop = first; hop < end; hop++) {
      int port = world.paths.portAt(hop);
      if (world.ports.relativeLoad[port] >= highest * (1 - TIE)
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

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import org.sluice.engine.EngineStatistics.Figure;

/**
 * Finds the port that set the CE marks which a receiver counted. All marks of a path go to one port
 * of it: the one with the highest load over capacity. Loads within {@link #TIE} of the highest are
 * a tie, won by the smaller capacity, then by the port most upstream (behind a bottleneck the load
 * looks the same as in it). The choice sticks until another port is busier by {@link #HYSTERESIS},
 * so that noise in the loads does not move control to and fro.
 *
 * <p>Marks are not divided among the ports of a path: a second bottleneck is found as soon as the
 * first is controlled, and a pair obeys the lowest limit of all.
 */
final class Attribution {
  /** Relative distance below the highest load within which ports tie. */
  static final double TIE = 0.05;

  /** How far another port's relative load must exceed the present one's to take its place. */
  static final double HYSTERESIS = 0.1;

  private final World world;
  private final IntList markedPorts = new IntList();

  Attribution(World world) {
    this.world = world;
  }

  /** Rows of the ports that got marks at the last {@link #tick}. */
  IntList markedPorts() {
    return markedPorts;
  }

  /** Hands each path's marks to its port; forgets the previous period's. */
  void tick() {
    clear();
    world.ports.measure();
    PathTable paths = world.paths;
    for (int path = paths.nextMarked(0); path >= 0; path = paths.nextMarked(path + 1)) {
      attribute(path, paths.takeMarks(path));
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

  private void attribute(int path, long marks) {
    int hop = chooseHop(path);
    if (hop < 0) {
      world.counters.add(Figure.MARKS_UNATTRIBUTED, marks);
      return;
    }
    world.paths.attributedHop[path] = hop - world.paths.firstHop[path];
    int port = world.paths.portAt(hop);
    if (world.ports.marks[port] == 0) {
      markedPorts.add(port);
    }
    world.ports.marks[port] += marks;
    world.ports.estimatedMarks[port] |= world.paths.estimated[path];
    world.counters.add(Figure.MARKS_ATTRIBUTED, marks);
  }

  /** The hop that sets the path's marks; -1 if no hop's capacity is known. */
  private int chooseHop(int path) {
    PathTable paths = world.paths;
    int first = paths.firstHop[path];
    int end = first + paths.hopCount[path];
    double[] loads = world.ports.relativeLoad;
    double highest = -1;
    for (int hop = first; hop < end; hop++) {
      highest = Math.max(highest, loads[paths.portAt(hop)]);
    }
    if (highest < 0) {
      return -1;
    }
    if (paths.attributedHop[path] >= 0) {
      int present = first + paths.attributedHop[path];
      double presentLoad = loads[paths.portAt(present)];
      if (presentLoad >= 0 && highest <= presentLoad * (1 + HYSTERESIS)) {
        return present;
      }
    }
    return best(first, end, highest);
  }

  /** Of the hops that tie with the highest load, the one of the smallest capacity. */
  private int best(int first, int end, double highest) {
    int chosen = -1;
    for (int hop = first; hop < end; hop++) {
      int port = world.paths.portAt(hop);
      if (world.ports.relativeLoad[port] >= highest * (1 - TIE)
          && (chosen < 0 || capacity(port) < capacity(world.paths.portAt(chosen)))) {
        chosen = hop;
      }
    }
    return chosen;
  }

  private long capacity(int port) {
    return world.ports.capacityBitsPerSecond[port];
  }
}

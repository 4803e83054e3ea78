// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.marks;

import java.util.Arrays;

/**
 * Sums over paths of what enters switches marked, by where it enters and leaves. What is added
 * waits until much of it can be added in a row: the cells lie anywhere, and many are fetched side
 * by side, but not while it has yet to be found out which are next.
 */
final class TransitSums {
  /** What counts for a path that no port before is known to mark, where it counts at all. */
  private static final double UNKNOWN_PART = 0.01;

  private static final int ROOM = 512;

  /** Marked bytes by cell, which are many, and need no more digits than they have. */
  final float[] marked;

  /** By entrance: the sums of {@link #marked}. */
  final double[] total;

  /** By entrance: those that a port upstream is known to mark. */
  final double[] known;

  /** By entrance: whether bytes count too. */
  final boolean[] byBytes;

  /** By port: bytes that came over unjudged ports. */
  final double[] unjudged;

  // What waits:
  private final int[] cellOf = new int[ROOM];
  private final int[] entranceOf = new int[ROOM];
  private final int[] portOf = new int[ROOM];
  private final double[] loadOf = new double[ROOM];
  private final double[] partOf = new double[ROOM];
  private int waiting;

  TransitSums(int cells, int entrances, int ports) {
    marked = new float[cells];
    total = new double[entrances];
    known = new double[entrances];
    byBytes = new boolean[entrances];
    unjudged = new double[ports];
  }

  void clear() {
    Arrays.fill(marked, 0);
    Arrays.fill(total, 0);
    Arrays.fill(known, 0);
    Arrays.fill(unjudged, 0);
  }

  /**
   * Adds what enters by an entrance and leaves by a port, as of the next {@link #settle}.
   *
   * @param part of the load that came marked; below 0 if that is not known
   */
  void add(int cell, int entrance, int port, double load, double part) {
    if (waiting == ROOM) {
      settle();
    }
    cellOf[waiting] = cell;
    entranceOf[waiting] = entrance;
    portOf[waiting] = port;
    loadOf[waiting] = load;
    partOf[waiting] = part;
    waiting++;
  }

  /**
   * Adds what waits. Where no port before marks it that is nothing, mostly; to find out costs more
   * than to add it.
   */
  void settle() {
    for (int i = 0; i < waiting; i++) {
      int entrance = entranceOf[i];
      double load = loadOf[i];
      if (partOf[i] < 0) {
        unjudged[portOf[i]] += load;
      }
      double bytes = load * Math.max(0, partOf[i]);
      known[entrance] += bytes;
      if (byBytes[entrance]) {
        bytes += load * UNKNOWN_PART;
      }
      marked[cellOf[i]] += (float) bytes;
      total[entrance] += bytes;
    }
    waiting = 0;
  }
}

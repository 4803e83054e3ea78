// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.Arrays;

/**
 * Where what enters a switch leaves it. OpenFlow counts marks by entrance, not by way out: marks
 * that enter are spread over the switch's ports by the bytes of the active pairs that enter there
 * and leave by each. That is right in the mean, because a queue upstream marks packets by when they
 * come, not by where they go.
 *
 * <p>Where a path spreads over several ports of the switch a pair leaves by each with its fraction,
 * whatever its entrance: ECMP's hash does not know the entrance. Where no pair is known to pass,
 * nothing is said: it is traffic that no endpoint sent.
 */
final class Transits {
  /** Rates are smoothed over 50 ms: asked anew after so long, ns. */
  static final long VALID_NANOS = 100_000_000L;

  private static final long NEVER = Long.MIN_VALUE / 2;

  private final World world;

  // By entrance: ports and their parts, of which so many count.
  private int[][] exits = {};
  private double[][] parts = {};
  private int[] count = {};
  private long[] askedAt = {};

  // By port, while an entrance is being looked at:
  private double[] sum = {};
  private final IntList touched = new IntList();

  Transits(World world) {
    this.world = world;
  }

  void follow() {
    int before = count.length;
    if (before < world.ports.size()) {
      int size = world.ports.id.length;
      exits = Arrays.copyOf(exits, size);
      parts = Arrays.copyOf(parts, size);
      count = Arrays.copyOf(count, size);
      askedAt = Arrays.copyOf(askedAt, size);
      Arrays.fill(askedAt, before, size, NEVER);
      sum = Arrays.copyOf(sum, size);
    }
  }

  /** Forgets all: links have changed. */
  void forget() {
    Arrays.fill(askedAt, NEVER);
  }

  /** Adds what an entrance's marks are at each way out. */
  void spread(int entrance, double marks, long now, double[] to) {
    if (now - askedAt[entrance] >= VALID_NANOS) {
      askedAt[entrance] = now;
      look(entrance);
    }
    for (int i = 0; i < count[entrance]; i++) {
      to[exits[entrance][i]] += marks * parts[entrance][i];
    }
  }

  private void look(int entrance) {
    count[entrance] = 0;
    int feeder = world.links.feeder(entrance);
    if (feeder == Links.NONE) {
      return;
    }
    int here = world.links.switchOf(entrance);
    CrossingTable crossings = world.crossings;
    double total = 0;
    for (int c = world.ports.firstCrossing[feeder]; c >= 0; c = crossings.nextOfPort[c]) {
      for (int e = crossings.firstEntry[c]; e >= 0; e = crossings.nextOfCrossing[e]) {
        int pair = crossings.entryPair[e];
        long rate = world.pairs.rateBitsPerSecond(pair);
        if (rate > 0) {
          total += add(world.pairs.path(pair), here, (double) rate * crossings.entryFraction16[e]);
        }
      }
    }
    keep(entrance, total);
  }

  /** Adds a pair's load to the ports by which its path leaves the switch. */
  private double add(int path, int here, double load) {
    PathTable paths = world.paths;
    int first = paths.firstHop[path];
    int end = first + paths.hopCount[path];
    long fractions = 0;
    for (int hop = first; hop < end; hop++) {
      if (world.links.switchOf(paths.portAt(hop)) == here) {
        fractions += paths.fraction16At(hop);
      }
    }
    if (fractions == 0) {
      return 0;
    }
    for (int hop = first; hop < end; hop++) {
      int port = paths.portAt(hop);
      if (world.links.switchOf(port) == here) {
        if (sum[port] == 0) {
          touched.add(port);
        }
        sum[port] += load * paths.fraction16At(hop) / fractions;
      }
    }
    return load;
  }

  private void keep(int entrance, double total) {
    int size = touched.size();
    if (exits[entrance] == null || exits[entrance].length < size) {
      int room = Math.max(8, 2 * size);
      exits[entrance] = new int[room];
      parts[entrance] = new double[room];
    }
    for (int i = 0; i < size; i++) {
      int port = touched.get(i);
      exits[entrance][i] = port;
      parts[entrance][i] = sum[port] / total;
      sum[port] = 0;
    }
    count[entrance] = size;
    touched.clear();
  }
}

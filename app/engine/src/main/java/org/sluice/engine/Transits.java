// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.Arrays;

/**
 * Where what enters a switch marked leaves it. OpenFlow counts marks by entrance, not by way out:
 * marks that enter are spread over the switch's ports by the bytes of the active pairs that enter
 * there and leave by each, each pair's times what the ports before are known to mark of it. That is
 * right in the mean: a queue marks packets by when they come, not by where they go, but not all
 * that comes by one entrance has crossed the same queues. While nothing is known to mark upstream,
 * bytes alone count.
 *
 * <p>Where a path spreads over several ports of the switch a pair leaves by each with its fraction,
 * whatever its entrance: ECMP's hash does not know the entrance. Where no pair is known to pass,
 * nothing is said: it is traffic that no endpoint sent.
 */
final class Transits {
  /** Looked at anew after so long, ns. */
  static final long VALID_NANOS = 200_000_000L;

  /** After the first look, for which nothing was known of what is marked upstream, ns. */
  private static final long FIRST_VALID_NANOS = 20_000_000L;

  /** What counts for a pair that no port before is known to mark. */
  private static final double UNKNOWN_PART = 0.01;

  private static final long NEVER = Long.MIN_VALUE / 2;

  /** Pairs that are looked at in a tick, about; the rest waits for the next. */
  private static final int PAIRS_PER_TICK = 200;

  private final World world;
  private int pairsLeft;

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

  /** Begins a tick: not all that is due is looked at in one. */
  void tick() {
    pairsLeft = PAIRS_PER_TICK;
  }

  /** Whether no entrance will be looked at again in this tick. */
  boolean isSpent() {
    return pairsLeft <= 0;
  }

  /** Adds what an entrance's marks are at each way out. */
  void spread(int entrance, double marks, long now, double[] to) {
    boolean isFirst = askedAt[entrance] == NEVER;
    if (isFirst || now - askedAt[entrance] >= VALID_NANOS && pairsLeft > 0) {
      askedAt[entrance] = isFirst ? now - VALID_NANOS + FIRST_VALID_NANOS : now;
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
        pairsLeft--;
        int pair = crossings.entryPair[e];
        long rate = world.pairs.rateBitsPerSecond(pair);
        if (rate > 0) {
          total += add(world.pairs.path(pair), here, (double) rate * crossings.entryFraction16[e]);
        }
      }
    }
    keep(entrance, total);
  }

  /** Adds what is marked of a pair's load to the ports by which its path leaves the switch. */
  private double add(int path, int here, double load) {
    PathTable paths = world.paths;
    int first = paths.firstHop[path];
    int end = first + paths.hopCount[path];
    long fractions = 0;
    double marked = UNKNOWN_PART;
    for (int hop = first; hop < end; hop++) {
      int port = paths.portAt(hop);
      if (world.links.switchOf(port) == here) {
        fractions += paths.fraction16At(hop);
      } else if (fractions == 0) {
        marked += world.ports.ceShare[port] * paths.fraction16At(hop) / 65536;
      }
    }
    if (fractions == 0) {
      return 0;
    }
    double marks = load * Math.min(1, marked);
    for (int hop = first; hop < end; hop++) {
      int port = paths.portAt(hop);
      if (world.links.switchOf(port) == here) {
        if (sum[port] == 0) {
          touched.add(port);
        }
        sum[port] += marks * paths.fraction16At(hop) / fractions;
      }
    }
    return marks;
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

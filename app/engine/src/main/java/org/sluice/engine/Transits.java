// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.Arrays;

/**
 * Where what enters a switch marked leaves it. OpenFlow counts marks by entrance, not by way out:
 * marks that enter are spread over the switch's ports by the bytes of the active paths that enter
 * there and leave by each, each path's times what the ports before it mark of it. That is right in
 * the mean: a queue marks packets by when they come, not by where they go, but not all that comes
 * by one entrance has crossed the same queues. Where nobody is known to mark upstream bytes alone
 * count.
 *
 * <p>All paths are looked at in turn, a part of them in each tick; what was found holds until all
 * have been looked at again. Where a path spreads over several ports of the switch it leaves by
 * each with its fraction, whatever its entrance: ECMP's hash does not know the entrance. Where no
 * path is known to pass, nothing is said: it is traffic that no endpoint sent.
 */
final class Transits {
  /** The marked part of a port that marks, nobody yet knows how much of what crosses it. */
  static final double UNJUDGED = -1;

  /** All paths are looked at within so long, ns. */
  private static final long ROUND_NANOS = 40_000_000L;

  private static final int MAX_PARTS = 8;

  /** What counts for a path that no port before is known to mark. */
  private static final double UNKNOWN_PART = 0.01;

  /**
   * More than this part of what crosses a port, come over unjudged ones, leaves it unjudged too.
   */
  private static final double UNJUDGED_PART = 0.1;

  private static final int WHOLE = 65536;
  private static final long NEVER = Long.MIN_VALUE / 2;

  private final World world;
  private int version = -1;

  /** By entrance: where its row begins in the sums, which has a cell per port of the switch. */
  private int[] rowOf = {};

  // What holds: marked bytes by cell; by port, bytes from other switches, and over unjudged ports.
  private double[] marked = {};
  private double[] entering = {};
  private double[] unjudged = {};
  private long lookedAt = NEVER;

  // What is being gathered, over the rows of paths below the limit:
  private double[] nextMarked = {};
  private double[] nextEntering = {};
  private double[] nextUnjudged = {};
  private long nextLookedAt;
  private int nextPath;
  private int limit;

  // Of the path that is being looked at, by hop: the marked part behind it; below 0 is unjudged.
  private double[] behind = new double[16];

  Transits(World world) {
    this.world = world;
  }

  /** Looks at the paths whose turn it is. */
  void tick(long now, long stepNanos, double[] markedPart) {
    if (version != world.links.version()) {
      version = world.links.version();
      layOut();
      begin(now);
    }
    int parts = (int) Math.max(1, Math.min(MAX_PARTS, ROUND_NANOS / stepNanos));
    int to = (int) Math.min(limit, nextPath + (long) (limit + parts - 1) / parts);
    for (; nextPath < to; nextPath++) {
      double load = world.paths.loadBitsPerSecond[nextPath];
      if (load > 0) {
        look(nextPath, load, markedPart);
      }
    }
    if (nextPath >= limit) {
      publish();
      begin(now);
    }
  }

  /** Gives every entrance a row, and forgets all. */
  private void layOut() {
    rowOf = new int[world.ports.id.length];
    Arrays.fill(rowOf, Links.NONE);
    int size = 0;
    for (int s = 0; s < world.links.switchCount(); s++) {
      IntList entrances = world.links.entrances(s);
      for (int i = 0; i < entrances.size(); i++) {
        rowOf[entrances.get(i)] = size;
        size += world.links.portsOf(s).size();
      }
    }
    marked = new double[size];
    nextMarked = new double[size];
    entering = new double[rowOf.length];
    nextEntering = new double[rowOf.length];
    unjudged = new double[rowOf.length];
    nextUnjudged = new double[rowOf.length];
    lookedAt = NEVER;
  }

  private void begin(long now) {
    Arrays.fill(nextMarked, 0);
    Arrays.fill(nextEntering, 0);
    Arrays.fill(nextUnjudged, 0);
    nextLookedAt = now;
    nextPath = 0;
    limit = world.paths.limit();
  }

  private void publish() {
    double[] spare = marked;
    marked = nextMarked;
    nextMarked = spare;
    spare = entering;
    entering = nextEntering;
    nextEntering = spare;
    spare = unjudged;
    unjudged = nextUnjudged;
    nextUnjudged = spare;
    lookedAt = nextLookedAt;
  }

  /** Follows a path through its switches. */
  private void look(int path, double load, double[] markedPart) {
    PathTable paths = world.paths;
    int first = paths.firstHop[path];
    int count = paths.hopCount[path];
    if (behind.length < count) {
      behind = new double[2 * count];
    }
    for (int h = 0; h < count; h++) {
      int port = paths.portAt(first + h);
      double before = h == 0 ? 0 : enter(first, h, count, load);
      double own = markedPart[port];
      behind[h] = own < 0 || before < 0 ? UNJUDGED : before + (1 - before) * own;
    }
  }

  /** Adds what enters the switch of a hop to what leaves by it; says what part had been marked. */
  private double enter(int first, int h, int count, double load) {
    PathTable paths = world.paths;
    int port = paths.portAt(first + h);
    int here = world.links.switchOf(port);
    double share = (double) paths.fraction16At(first + h) / leaving(first, h, count, here);
    int seen = 0;
    double sum = 0;
    boolean isJudged = true;
    for (int g = h - 1; g >= 0 && seen < WHOLE; g--) {
      int entrance = world.links.peer(paths.portAt(first + g));
      if (entrance != Links.NONE && world.links.switchOf(entrance) == here) {
        int fraction = paths.fraction16At(first + g);
        double part = Math.max(0, behind[g]);
        isJudged &= behind[g] >= 0;
        seen += fraction;
        sum += fraction * part;
        nextMarked[rowOf[entrance] + world.links.placeOf(port)] +=
            load * share * fraction * (UNKNOWN_PART + part);
      }
    }
    if (seen == 0) {
      return 0;
    }
    nextEntering[port] += load * share * seen;
    if (!isJudged) {
      nextUnjudged[port] += load * share * seen;
      return UNJUDGED;
    }
    return sum / seen;
  }

  /** The sum of the fractions by which a path leaves a switch. */
  private int leaving(int first, int h, int count, int here) {
    PathTable paths = world.paths;
    int sum = paths.fraction16At(first + h);
    for (int g = 0; g < count && sum < WHOLE; g++) {
      if (g != h && world.links.switchOf(paths.portAt(first + g)) == here) {
        sum += paths.fraction16At(first + g);
      }
    }
    return sum;
  }

  /** Adds what an entrance's marks are at each way out. */
  void spread(int entrance, double marks, double[] to) {
    int row = entrance < rowOf.length ? rowOf[entrance] : Links.NONE;
    if (row == Links.NONE) {
      return;
    }
    IntList exits = world.links.portsOf(world.links.switchOf(entrance));
    double total = 0;
    for (int i = 0; i < exits.size(); i++) {
      total += marked[row + i];
    }
    if (total > 0) {
      double scale = marks / total;
      for (int i = 0; i < exits.size(); i++) {
        to[exits.get(i)] += marked[row + i] * scale;
      }
    }
  }

  /** Whether what leaves by a port has been looked at since a moment. */
  boolean isKnownSince(long moment) {
    return lookedAt > moment;
  }

  /** Whether much of what enters and leaves by a port comes over ports not yet judged. */
  boolean isOverUnjudged(int port) {
    return port < unjudged.length && unjudged[port] > UNJUDGED_PART * entering[port];
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.marks;

import java.util.Arrays;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.Links;
import org.sluice.engine.state.PathTable;

/**
 * Where what enters a switch marked leaves it. OpenFlow counts marks by entrance, not by the port
 * that they leave by: marks that enter are spread over the switch's ports by the bytes of the
 * active paths that enter there and leave by each, each path's times what the ports before it mark
 * of it. That is right in the mean: a queue marks packets by when they come, not by where they go,
 * but not all that comes by one entrance has crossed the same queues. Where no port upstream is
 * known to mark, bytes alone count.
 *
 * <p>All paths are evaluated in turn, a part of them in each tick; what was found holds until all
 * have been evaluated again. Where a path spreads over several ports of the switch it leaves by
 * each with its fraction, whatever its entrance: ECMP's hash does not know the entrance. Where no
 * path is known to pass, marks go nowhere: it is traffic that no endpoint sent.
 */
final class Transits {
  /** The marked part of a port that marks, as long as it is not known how much. */
  static final double UNJUDGED = -1;

  /** All paths are evaluated within so long while some port waits for it, ns. */
  private static final long ROUND_NANOS = 40_000_000L;

  private static final int MAX_PARTS = 8;

  /** So many times as long takes a round for which no port waits. */
  private static final int UNHURRIED = 2;

  /**
   * More than this part of what crosses a port, come over unjudged ones, leaves it unjudged too.
   */
  private static final double UNJUDGED_PART = 0.1;

  /** So many paths have their turn together. */
  private static final int TOGETHER = 256;

  private static final long NEVER = Long.MIN_VALUE / 2;

  private static final int FACTS = 4;
  private static final int SWITCH = 0;
  private static final int ROW = 1;
  private static final int NEXT_SWITCH = 2;
  private static final int NEXT_ENTRANCE = 3;

  private final EngineState state;
  private int version = -1;

  // Entrances are numbered switch by switch.
  private int[] numberOf = {};
  private int[] firstOfSwitch = {};

  /**
   * What is read of a port at each hop, side by side, as all paths' hops are many. A port's row has
   * a cell for each entrance of its switch, at {@code ROW} + number of the entrance.
   */
  private int[] facts = {};

  // By entrance number: marks that enter now, and those over what counts in the cells.
  private double[] marks = {};
  private double[] scale = {};

  /** What holds, and since when. */
  private TransitSums sums = new TransitSums(0, 0, 0);

  private long updatedAt = NEVER;

  /** What is being gathered, over the rows of paths below the limit. */
  private TransitSums next = sums;

  private boolean isAnyByBytes;
  private long nextUpdatedAt;
  private int nextPath;
  private int limit;

  /**
   * By port: whether anything is to be added for a path because of it, that is, it may have marked,
   * or leads to where bytes count. A byte each, as it is read for all paths' hops.
   */
  private boolean[] matters = {};

  /** Of the paths whose turn it is, those for which anything is to be added. */
  private final int[] mattering = new int[TOGETHER];

  // Of the path that is being evaluated, by hop: the marked part behind it; below 0 is unjudged.
  private double[] behind = new double[16];

  Transits(EngineState state) {
    this.state = state;
  }

  /**
   * Evaluates the paths whose turn it is.
   *
   * @param awaited whether some port cannot be judged before it is known what enters
   */
  void tick(long now, long stepNanos, boolean awaited, double[] markedPart) {
    if (version != state.links.version()) {
      version = state.links.version();
      layOut();
      begin(now);
    }
    int parts = (int) Math.max(1, Math.min(MAX_PARTS, ROUND_NANOS / stepNanos));
    parts *= awaited || isAnyByBytes || updatedAt == NEVER ? 1 : UNHURRIED;
    int to = (int) Math.min(limit, nextPath + (long) (limit + parts - 1) / parts);
    seeWhatMatters(markedPart);
    while (nextPath < to) {
      int end = Math.min(to, nextPath + TOGETHER);
      update(nextPath, end, markedPart);
      nextPath = end;
    }
    next.settle();
    if (nextPath >= limit) {
      publish();
      begin(now);
    }
    Arrays.fill(marks, 0);
    Arrays.fill(scale, 0);
  }

  /** Numbers entrances, gives every port a row, and forgets all. */
  private void layOut() {
    Links links = state.links;
    int ports = state.ports.id.length;
    numberOf = new int[ports];
    Arrays.fill(numberOf, Links.NONE);
    firstOfSwitch = new int[links.switchCount()];
    int entrances = 0;
    for (int s = 0; s < links.switchCount(); s++) {
      firstOfSwitch[s] = entrances;
      for (int i = 0; i < links.entrances(s).size(); i++) {
        numberOf[links.entrances(s).get(i)] = entrances++;
      }
    }
    facts = new int[FACTS * ports];
    int cells = 0;
    for (int port = 0; port < state.ports.size(); port++) {
      int next = links.peer(port);
      facts[FACTS * port + SWITCH] = links.switchOf(port);
      facts[FACTS * port + ROW] = cells - firstOfSwitch[links.switchOf(port)];
      facts[FACTS * port + NEXT_SWITCH] = next < 0 ? Links.NONE : links.switchOf(next);
      facts[FACTS * port + NEXT_ENTRANCE] = next < 0 ? Links.NONE : numberOf[next];
      cells += links.entrances(links.switchOf(port)).size();
    }
    marks = new double[entrances];
    scale = new double[entrances];
    matters = new boolean[ports];
    sums = new TransitSums(cells, entrances, ports);
    next = new TransitSums(cells, entrances, ports);
    updatedAt = NEVER;
  }

  private void begin(long now) {
    isAnyByBytes = false;
    for (int e = 0; e < next.byBytes.length; e++) {
      next.byBytes[e] = updatedAt == NEVER || marks[e] > 0 && sums.known[e] == 0;
      isAnyByBytes |= next.byBytes[e];
    }
    next.clear();
    nextUpdatedAt = now;
    nextPath = 0;
    limit = state.paths.limit();
  }

  private void publish() {
    TransitSums spare = sums;
    sums = next;
    next = spare;
    updatedAt = nextUpdatedAt;
  }

  private void seeWhatMatters(double[] markedPart) {
    for (int port : state.ports.inUse.rows()) {
      int entrance = facts[FACTS * port + NEXT_ENTRANCE];
      matters[port] = markedPart[port] != 0 || entrance != Links.NONE && next.byBytes[entrance];
    }
  }

  /** First finds those paths that matter, as which these are is not to be foreseen. */
  private void update(int from, int to, double[] markedPart) {
    int count = 0;
    for (int path = from; path < to; path++) {
      mattering[count] = path;
      count += matters(path) ? 1 : 0;
    }
    for (int i = 0; i < count; i++) {
      update(mattering[i], markedPart);
    }
  }

  /**
   * Most paths cross no port that marks: of their bytes nothing enters marked anywhere. Behind the
   * last hop is no switch to enter.
   */
  private boolean matters(int path) {
    PathTable paths = state.paths;
    int first = paths.firstHop(path);
    boolean any = false;
    for (int hop = first, last = first + paths.hopCount(path) - 1; hop < last; hop++) {
      any |= matters[paths.portAt(hop)];
    }
    return any && paths.loadBitsPerSecond(path) > 0;
  }

  /** Follows a path through its switches. */
  private void update(int path, double[] markedPart) {
    PathTable paths = state.paths;
    double load = paths.loadBitsPerSecond(path);
    if (paths.isSpread(path)) {
      updateSpread(paths.firstHop(path), paths.hopCount(path), load, markedPart);
    } else {
      updateLine(paths.firstHop(path), paths.hopCount(path), load, markedPart);
    }
  }

  /** A path that leaves every switch by one port. */
  private void updateLine(int first, int count, double load, double[] markedPart) {
    PathTable paths = state.paths;
    double part = 0;
    int nextSwitch = Links.NONE;
    int entrance = Links.NONE;
    for (int hop = first; hop < first + count; hop++) {
      int port = paths.portAt(hop);
      int at = FACTS * port;
      if (nextSwitch == facts[at + SWITCH]) {
        add(entrance, port, load, part);
      } else {
        part = 0;
      }
      part = behind(part, markedPart[port]);
      nextSwitch = facts[at + NEXT_SWITCH];
      entrance = facts[at + NEXT_ENTRANCE];
    }
  }

  /** The marked part of what leaves a port of which a part came marked. */
  private static double behind(double before, double own) {
    return own < 0 || before < 0 ? UNJUDGED : before + (1 - before) * own;
  }

  /** Adds what enters by an entrance and leaves by a port. */
  private void add(int entrance, int port, double load, double part) {
    next.add(facts[FACTS * port + ROW] + entrance, entrance, port, load, part);
  }

  private void updateSpread(int first, int count, double load, double[] markedPart) {
    if (behind.length < count) {
      behind = new double[2 * count];
    }
    for (int h = 0; h < count; h++) {
      double before = h == 0 ? 0 : enter(first, h, count, load);
      behind[h] = behind(before, markedPart[state.paths.portAt(first + h)]);
    }
  }

  /**
   * Adds what enters the switch of a hop to what leaves by it; returns what part had been marked.
   */
  private double enter(int first, int h, int count, double load) {
    PathTable paths = state.paths;
    int port = paths.portAt(first + h);
    int here = facts[FACTS * port + SWITCH];
    double share = (double) paths.fraction16At(first + h) / leaving(first, h, count, here);
    double leaves = load * share / PathTable.WHOLE;
    int seen = 0;
    double sum = 0;
    boolean isJudged = true;
    for (int g = h - 1; g >= 0 && seen < PathTable.WHOLE; g--) {
      int at = FACTS * paths.portAt(first + g);
      if (facts[at + NEXT_SWITCH] == here) {
        int fraction = paths.fraction16At(first + g);
        isJudged &= behind[g] >= 0;
        seen += fraction;
        sum += fraction * Math.max(0, behind[g]);
        add(facts[at + NEXT_ENTRANCE], port, leaves * fraction, behind[g]);
      }
    }
    return isJudged ? sum / Math.max(1, seen) : UNJUDGED;
  }

  /** The sum of the fractions by which a path leaves a switch. */
  private int leaving(int first, int h, int count, int here) {
    PathTable paths = state.paths;
    int sum = paths.fraction16At(first + h);
    for (int g = 0; g < count && sum < PathTable.WHOLE; g++) {
      if (g != h && facts[FACTS * paths.portAt(first + g) + SWITCH] == here) {
        sum += paths.fraction16At(first + g);
      }
    }
    return sum;
  }

  /**
   * Takes down how many marks enter by an entrance now.
   *
   * @return false if it will be known only soon where they leave
   */
  boolean enter(int entrance, double count) {
    int number = numberOf[entrance];
    if (number == Links.NONE) {
      return true;
    }
    marks[number] = count;
    double total = sums.total[number];
    scale[number] = total > 0 ? count / total : 0;
    return total > 0 || sums.byBytes[number];
  }

  /** Of the marks that enter the port's switch, those that leave by it. */
  double entered(int port) {
    int at = FACTS * port;
    int entrance = firstOfSwitch[facts[at + SWITCH]];
    int row = facts[at + ROW] + entrance;
    int count = state.links.entrances(facts[at + SWITCH]).size();
    float[] marked = sums.marked;
    // Side by side, as each addition waits for the one before it in the same sum.
    double even = 0;
    double odd = 0;
    int i = 0;
    for (; i + 3 < count; i += 4) {
      even += scale[entrance + i] * marked[row + i] + scale[entrance + i + 2] * marked[row + i + 2];
      odd +=
          scale[entrance + i + 1] * marked[row + i + 1]
              + scale[entrance + i + 3] * marked[row + i + 3];
    }
    for (; i < count; i++) {
      even += scale[entrance + i] * marked[row + i];
    }
    return even + odd;
  }

  /** Whether what leaves by a port has been evaluated since a moment. */
  boolean isKnownSince(long moment) {
    return updatedAt > moment;
  }

  /** Whether much of what crosses a port comes over ports not yet judged. */
  boolean isOverUnjudged(int port) {
    return sums.unjudged[port] > UNJUDGED_PART * state.ports.loadBitsPerSecond[port];
  }
}

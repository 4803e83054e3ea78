// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.state;

import java.util.Arrays;

/**
 * Marks of paths in this control period, and the port that each path's marks go to. They are summed
 * up by port as they come, so that a tick need not evaluate all paths again, only at those without
 * such a port, those with several ({@link #shared}), and those whose port is searched for anew.
 */
public final class PathMarks {
  /** No port was found. */
  public static final int NO_PORT = -1;

  /** Several ports of the path mark. As a choice, less the path's row in {@link #shared}. */
  public static final int SEVERAL = -2;

  private static final int FIRST = 256;

  /** What every sample touches lies together: marks; period of these above 32 bits of choice. */
  private static final int STRIDE = 2;

  private static final int CHOICE = 1;
  private static final long CHOICE_BITS = 0xffff_ffffL;

  /** Bit of a choice that is a port: the path is an estimate. */
  private static final int ESTIMATED = 1 << 30;

  /** Marks of the paths of which several ports mark. */
  public final SharedMarks shared;

  private final PortTable ports;
  private long[] cells = new long[FIRST * STRIDE];
  private int period = 1;
  private long openCount;

  /** One bit per path: whether it has marks. */
  private long[] marked = new long[FIRST / Long.SIZE];

  /** One bit per path: whether it has marks that no port gets. */
  private long[] open = new long[FIRST / Long.SIZE];

  /** One bit per path: whether its choice follows from which ports mark. */
  private long[] settled = new long[FIRST / Long.SIZE];

  PathMarks(PathTable paths, PortTable ports) {
    this.shared = new SharedMarks(paths, ports);
    this.ports = ports;
  }

  /** Makes space for so many paths, a multiple of 64. */
  void grow(int size) {
    cells = Arrays.copyOf(cells, size * STRIDE);
    marked = Arrays.copyOf(marked, size / Long.SIZE);
    open = Arrays.copyOf(open, size / Long.SIZE);
    settled = Arrays.copyOf(settled, size / Long.SIZE);
  }

  /** A path without marks, and without a port for them. */
  void reset(int path) {
    if (count(path) > 0) {
      give(choice(path), -count(path));
      set(marked, path, false);
      set(open, path, false);
    }
    leaveShared(choice(path));
    settle(path, false);
    cells[path * STRIDE] = 0;
    cells[path * STRIDE + CHOICE] = NO_PORT & CHOICE_BITS;
  }

  void add(int path, long count) {
    int at = path * STRIDE;
    long choice = cells[at + CHOICE];
    if ((int) (choice >>> Integer.SIZE) == period) {
      cells[at] += count;
    } else {
      cells[at] = count;
      cells[at + CHOICE] = (long) period << Integer.SIZE | choice & CHOICE_BITS;
      marked[path / Long.SIZE] |= 1L << path;
      if ((int) choice == NO_PORT) {
        open[path / Long.SIZE] |= 1L << path;
      }
    }
    give((int) choice, count);
  }

  private void give(int choice, long count) {
    if (choice >= 0) {
      ports.pathMarks[choice & ~ESTIMATED] += count;
      if ((choice & ESTIMATED) != 0) {
        ports.estimatedPathMarks[choice & ~ESTIMATED] = true;
      }
    } else {
      openCount += count;
      if (choice <= SEVERAL) {
        shared.add(SEVERAL - choice, count);
      }
    }
  }

  private void leaveShared(int choice) {
    if (choice <= SEVERAL) {
      shared.giveBack(SEVERAL - choice);
    }
  }

  private int choice(int path) {
    return (int) cells[path * STRIDE + CHOICE];
  }

  /** The path's marks in this period. */
  public long count(int path) {
    int at = path * STRIDE;
    return (int) (cells[at + CHOICE] >>> Integer.SIZE) == period ? cells[at] : 0;
  }

  /** Row of the port that gets the path's marks, {@link #NO_PORT} or {@link #SEVERAL}. */
  public int port(int path) {
    int choice = choice(path);
    return choice < 0 ? Math.max(SEVERAL, choice) : choice & ~ESTIMATED;
  }

  /**
   * Sets who gets the marks of a path that has any, those included that it has now.
   *
   * @param estimated whether the path is an estimate
   */
  public void choose(int path, int port, boolean estimated) {
    int before = choice(path);
    int choice = port >= 0 && estimated ? port | ESTIMATED : port;
    if (Math.max(SEVERAL, before) == choice) {
      return;
    }
    long count = count(path);
    give(before, -count);
    leaveShared(before);
    if (choice == SEVERAL) {
      choice -= shared.take(path);
    }
    give(choice, count);
    int at = path * STRIDE + CHOICE;
    cells[at] = cells[at] & ~CHOICE_BITS | choice & CHOICE_BITS;
    set(open, path, choice == NO_PORT);
  }

  /** Sets whether a path's choice need not be evaluated again while the same ports mark. */
  public void settle(int path, boolean isSettled) {
    set(settled, path, isSettled);
  }

  /** Other ports mark. */
  public void unsettle() {
    Arrays.fill(settled, 0);
  }

  private static void set(long[] bits, int path, boolean on) {
    long bit = 1L << path;
    int word = path / Long.SIZE;
    bits[word] = on ? bits[word] | bit : bits[word] & ~bit;
  }

  /** Marks in this period of paths without a single port. */
  public long openCount() {
    return openCount;
  }

  /** How many words {@link #marked} and {@link #open} have. */
  public int words() {
    return marked.length;
  }

  /** Paths with marks, a bit for each of 64: path 64 word + n is bit n. */
  public long marked(int word) {
    return marked[word];
  }

  /** Of these, the ones whose choice may be another now. */
  public long unsettled(int word) {
    return marked[word] & ~settled[word];
  }

  /** Of those with marks, the ones that have no port to go to. */
  public long open(int word) {
    return open[word];
  }

  /** Begins a period: no path has marks. */
  public void clear() {
    period++;
    openCount = 0;
    Arrays.fill(marked, 0);
    Arrays.fill(open, 0);
    shared.clear();
  }
}

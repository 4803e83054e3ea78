// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Paths by row number. Pairs between the same two switches mostly share one. */
final class PathTable {
  static final int UNKNOWN = -1;

  /** Fractions are kept in 65536ths: what is added to a port can be taken off again exactly. */
  private static final int FRACTION_BITS = 16;

  /** The fraction of a path that leads all of its traffic over a hop. */
  static final int WHOLE = 1 << FRACTION_BITS;

  private static final int FIRST = 256;

  private final PortTable ports;
  private final Map<Path, Integer> rows = new HashMap<>();
  private final Slots slots = new Slots();
  private Path[] path = new Path[FIRST];
  private int[] references = new int[FIRST];
  private long[] marks = new long[FIRST];

  /** One bit per row: whether it has marks. Read in order of rows, which memory likes. */
  private long[] marked = new long[FIRST / Long.SIZE];

  /** The hops of all paths, one path's side by side: port row above 32 bits of fraction. */
  private long[] hops = new long[FIRST * 8];

  private int hopsEnd;

  /** Stretches of hops that are free again, by their length. */
  private final List<IntList> freeHops = new ArrayList<>();

  /** Sum of what its pairs get through, bit/s. */
  long[] loadBitsPerSecond = new long[FIRST];

  int[] firstHop = new int[FIRST];
  int[] hopCount = new int[FIRST];
  boolean[] estimated = new boolean[FIRST];

  /** Whether it leaves some switch by several ports. */
  boolean[] spreads = new boolean[FIRST];

  /** Row of the port that got its marks last; -1 before the first. */
  int[] attributedPort = new int[FIRST];

  PathTable(PortTable ports) {
    this.ports = ports;
  }

  int retain(Path wanted) {
    Integer known = rows.get(wanted);
    int row = known == null ? add(wanted) : known;
    references[row]++;
    return row;
  }

  private int add(Path wanted) {
    int row = slots.take();
    if (row == path.length) {
      grow();
    }
    List<Path.Hop> all = wanted.hops();
    int first = takeHops(all.size());
    spreads[row] = false;
    for (int h = 0; h < all.size(); h++) {
      long fraction16 = Math.max(1, Math.round(all.get(h).fraction() * WHOLE));
      spreads[row] |= fraction16 < WHOLE;
      hops[first + h] = (long) ports.findOrAdd(all.get(h).port()) << 32 | fraction16;
    }
    path[row] = wanted;
    firstHop[row] = first;
    hopCount[row] = all.size();
    estimated[row] = wanted.estimated();
    references[row] = 0;
    attributedPort[row] = -1;
    rows.put(wanted, row);
    countFromElsewhere(row, 1);
    return row;
  }

  void release(int row) {
    if (--references[row] == 0) {
      takeMarks(row);
      countFromElsewhere(row, -1);
      rows.remove(path[row]);
      path[row] = null;
      freeHops.get(hopCount[row]).add(firstHop[row]);
      slots.giveBack(row);
    }
  }

  /** Counts the path in, or out, at its ports that are not the first switch's. */
  private void countFromElsewhere(int row, int sign) {
    List<Path.Hop> all = path[row].hops();
    for (int h = 0; h < all.size(); h++) {
      if (!all.get(h).port().datapath().equals(all.get(0).port().datapath())) {
        ports.pathsFromElsewhere[portAt(firstHop[row] + h)] += sign;
      }
    }
  }

  private int takeHops(int count) {
    while (freeHops.size() <= count) {
      freeHops.add(new IntList());
    }
    if (!freeHops.get(count).isEmpty()) {
      return freeHops.get(count).pop();
    }
    int first = hopsEnd;
    hopsEnd += count;
    if (hopsEnd > hops.length) {
      hops = Arrays.copyOf(hops, Math.max(hopsEnd, 2 * hops.length));
    }
    return first;
  }

  /** Row of the port at a hop; hops of a path are numbered from {@link #firstHop}. */
  int portAt(int hop) {
    return (int) (hops[hop] >>> 32);
  }

  /** Fraction of the path's traffic at a hop, 65536ths. */
  int fraction16At(int hop) {
    return (int) hops[hop];
  }

  /** Changes what a pair adds to the loads of its path and of the path's ports. */
  void changeLoad(int row, long fromBitsPerSecond, long toBitsPerSecond) {
    loadBitsPerSecond[row] += toBitsPerSecond - fromBitsPerSecond;
    int first = firstHop[row];
    for (int h = first, end = first + hopCount[row]; h < end; h++) {
      long fraction16 = fraction16At(h);
      ports.loadBitsPerSecond[portAt(h)] +=
          (toBitsPerSecond * fraction16 >> FRACTION_BITS)
              - (fromBitsPerSecond * fraction16 >> FRACTION_BITS);
    }
  }

  void addPackets(int row, long packets) {
    int first = firstHop[row];
    for (int h = first, end = first + hopCount[row]; h < end; h++) {
      ports.packets16[portAt(h)] += packets * fraction16At(h);
    }
  }

  void addMarks(int row, long count) {
    marked[row / Long.SIZE] |= 1L << row;
    marks[row] += count;
    if (hopCount[row] > 0) {
      ports.lastHopMarks[portAt(firstHop[row] + hopCount[row] - 1)] += count;
    }
  }

  /** The first row from this one on that has marks, or -1. */
  int nextMarked(int row) {
    int word = row / Long.SIZE;
    if (word >= marked.length) {
      return -1;
    }
    long bits = marked[word] & -1L << row;
    while (bits == 0) {
      if (++word == marked.length) {
        return -1;
      }
      bits = marked[word];
    }
    return word * Long.SIZE + Long.numberOfTrailingZeros(bits);
  }

  /** The path's marks since they were last taken. */
  long takeMarks(int row) {
    long result = marks[row];
    marks[row] = 0;
    marked[row / Long.SIZE] &= ~(1L << row);
    return result;
  }

  int size() {
    return slots.used();
  }

  /** All rows are below; some may be free. */
  int limit() {
    return slots.limit();
  }

  private void grow() {
    int size = 2 * path.length;
    path = Arrays.copyOf(path, size);
    references = Arrays.copyOf(references, size);
    marks = Arrays.copyOf(marks, size);
    marked = Arrays.copyOf(marked, size / Long.SIZE);
    firstHop = Arrays.copyOf(firstHop, size);
    loadBitsPerSecond = Arrays.copyOf(loadBitsPerSecond, size);
    hopCount = Arrays.copyOf(hopCount, size);
    estimated = Arrays.copyOf(estimated, size);
    spreads = Arrays.copyOf(spreads, size);
    attributedPort = Arrays.copyOf(attributedPort, size);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Paths by row number. Pairs between the same two switches mostly share one. */
final class PathTable {
  static final int UNKNOWN = -1;

  /** Fractions are kept in 65536ths: what is added to a port can be taken off again exactly. */
  private static final int FRACTION_BITS = 16;

  private static final int FIRST = 256;

  private final PortTable ports;
  private final Map<Path, Integer> rows = new HashMap<>();
  private final Slots slots = new Slots();
  private final IntList marked = new IntList();
  private Path[] path = new Path[FIRST];
  private int[] references = new int[FIRST];
  private long[] marks = new long[FIRST];

  /** Rows in {@link PortTable}, most upstream first. */
  int[][] port = new int[FIRST][];

  int[][] fraction16 = new int[FIRST][];
  boolean[] estimated = new boolean[FIRST];

  /** Index of the hop to which marks were attributed last, or -1. */
  int[] attributedHop = new int[FIRST];

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
    List<Path.Hop> hops = wanted.hops();
    port[row] = new int[hops.size()];
    fraction16[row] = new int[hops.size()];
    for (int h = 0; h < hops.size(); h++) {
      port[row][h] = ports.findOrAdd(hops.get(h).port());
      fraction16[row][h] =
          (int) Math.max(1, Math.round(hops.get(h).fraction() * (1 << FRACTION_BITS)));
    }
    path[row] = wanted;
    estimated[row] = wanted.estimated();
    references[row] = 0;
    marks[row] = 0;
    attributedHop[row] = -1;
    rows.put(wanted, row);
    return row;
  }

  void release(int row) {
    if (--references[row] == 0) {
      rows.remove(path[row]);
      path[row] = null;
      slots.giveBack(row);
    }
  }

  /** Adds or takes off what a pair sends to or from the loads of its path's ports. */
  void addLoad(int row, long bitsPerSecond, int sign) {
    int[] onPath = port[row];
    int[] fractions = fraction16[row];
    for (int h = 0; h < onPath.length; h++) {
      ports.loadBitsPerSecond[onPath[h]] += sign * (bitsPerSecond * fractions[h] >> FRACTION_BITS);
    }
  }

  void addPackets(int row, long packets) {
    int[] onPath = port[row];
    int[] fractions = fraction16[row];
    for (int h = 0; h < onPath.length; h++) {
      ports.packets16[onPath[h]] += packets * fractions[h];
    }
  }

  void addMarks(int row, long count) {
    if (marks[row] == 0) {
      marked.add(row);
    }
    marks[row] += count;
  }

  /** Paths with marks since the last {@link #takeMarks}, a path perhaps more than once. */
  IntList marked() {
    return marked;
  }

  long takeMarks(int row) {
    long result = marks[row];
    marks[row] = 0;
    return result;
  }

  int size() {
    return slots.used();
  }

  private void grow() {
    int size = 2 * path.length;
    path = Arrays.copyOf(path, size);
    references = Arrays.copyOf(references, size);
    marks = Arrays.copyOf(marks, size);
    port = Arrays.copyOf(port, size);
    fraction16 = Arrays.copyOf(fraction16, size);
    estimated = Arrays.copyOf(estimated, size);
    attributedHop = Arrays.copyOf(attributedHop, size);
  }
}

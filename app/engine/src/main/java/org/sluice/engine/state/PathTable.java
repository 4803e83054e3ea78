// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.state;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sluice.engine.collections.IntList;
import org.sluice.engine.collections.Slots;
import org.sluice.engine.path.Path;

/** Paths by row number. Pairs between the same two switches mostly share one. */
public final class PathTable {
  public static final int UNKNOWN = -1;

  /** Fractions are kept in 65536ths: what is added to a port can be taken off again exactly. */
  private static final int FRACTION_BITS = 16;

  /** The fraction of a path that leads all of its traffic over a hop. */
  public static final int WHOLE = 1 << FRACTION_BITS;

  private static final int FIRST = 256;
  private static final int STRIDE = 2;
  private static final int LOAD = 1;

  // The first cell: first hop above 32 bits; two flags; how many hops.
  private static final long SPREADS = 1L << 31;
  private static final long ESTIMATED = 1L << 30;
  private static final long COUNT_BITS = ESTIMATED - 1;

  private final PortTable ports;
  private final Map<Path, Integer> rows = new HashMap<>();
  private final Slots slots = new Slots();
  private Path[] path = new Path[FIRST];
  private int[] references = new int[FIRST];

  // The hops of all paths, one path's side by side: port row, and the fraction that crosses it. The
  // latter apart, as most paths do not spread, and it is not read.
  private int[] hopPort = new int[FIRST * 8];
  private int[] hopFraction16 = new int[FIRST * 8];

  private int hopsEnd;

  /** Stretches of hops that are free again, by their length. */
  private final List<IntList> freeHops = new ArrayList<>();

  /** What is read of every path side by side: where its hops are, with flags; and its load. */
  private long[] cells = new long[FIRST * STRIDE];

  /** Its marks, and the port that gets them. */
  public final PathMarks marks;

  PathTable(PortTable ports) {
    this.ports = ports;
    this.marks = new PathMarks(this, ports);
  }

  public int retain(Path wanted) {
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
    long flags = wanted.estimated() ? ESTIMATED : 0;
    for (int h = 0; h < all.size(); h++) {
      int fraction16 = (int) Math.max(1, Math.round(all.get(h).fraction() * WHOLE));
      flags |= fraction16 < WHOLE ? SPREADS : 0;
      int port = ports.findOrAdd(all.get(h).port());
      ports.inUse.add(port);
      hopPort[first + h] = port;
      hopFraction16[first + h] = fraction16;
    }
    path[row] = wanted;
    cells[row * STRIDE] = (long) first << 32 | flags | all.size();
    references[row] = 0;
    marks.reset(row);
    rows.put(wanted, row);
    countFromElsewhere(row, 1);
    return row;
  }

  public void release(int row) {
    if (--references[row] == 0) {
      marks.reset(row);
      countFromElsewhere(row, -1);
      rows.remove(path[row]);
      path[row] = null;
      freeHops.get(hopCount(row)).add(firstHop(row));
      slots.giveBack(row);
    }
  }

  /** Counts the path in, or out, at its ports that are not the first switch's. */
  private void countFromElsewhere(int row, int sign) {
    List<Path.Hop> all = path[row].hops();
    for (int h = 0; h < all.size(); h++) {
      if (!all.get(h).port().datapath().equals(all.get(0).port().datapath())) {
        ports.pathsFromElsewhere[portAt(firstHop(row) + h)] += sign;
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
    if (hopsEnd > hopPort.length) {
      int size = Math.max(hopsEnd, 2 * hopPort.length);
      hopPort = Arrays.copyOf(hopPort, size);
      hopFraction16 = Arrays.copyOf(hopFraction16, size);
    }
    return first;
  }

  /** Number of its first hop; those of a path follow each other. */
  public int firstHop(int row) {
    return (int) (cells[row * STRIDE] >>> 32);
  }

  public int hopCount(int row) {
    return (int) (cells[row * STRIDE] & COUNT_BITS);
  }

  public boolean isEstimated(int row) {
    return (cells[row * STRIDE] & ESTIMATED) != 0;
  }

  /** Whether it leaves some switch by several ports. */
  public boolean isSpread(int row) {
    return (cells[row * STRIDE] & SPREADS) != 0;
  }

  /** Sum of what its pairs get through, bit/s. */
  public long loadBitsPerSecond(int row) {
    return cells[row * STRIDE + LOAD];
  }

  /** Row of the port at a hop; hops of a path are numbered from {@link #firstHop}. */
  public int portAt(int hop) {
    return hopPort[hop];
  }

  /** Fraction of the path's traffic at a hop, 65536ths. */
  public int fraction16At(int hop) {
    return hopFraction16[hop];
  }

  /** Changes what a pair adds to the loads of its path and of the path's ports. */
  public void changeLoad(int row, long fromBitsPerSecond, long toBitsPerSecond) {
    long change = toBitsPerSecond - fromBitsPerSecond;
    cells[row * STRIDE + LOAD] += change;
    int first = firstHop(row);
    boolean spreads = isSpread(row);
    for (int h = first, end = first + hopCount(row); h < end; h++) {
      ports.loadBitsPerSecond[portAt(h)] +=
          spreads ? changeAt(h, fromBitsPerSecond, toBitsPerSecond) : change;
    }
  }

  private long changeAt(int hop, long fromBitsPerSecond, long toBitsPerSecond) {
    long fraction16 = fraction16At(hop);
    return (toBitsPerSecond * fraction16 >> FRACTION_BITS)
        - (fromBitsPerSecond * fraction16 >> FRACTION_BITS);
  }

  /** Counts bytes at the path's ports, as {@link PassedBytes} does. */
  public void addPassed(int row, long bytes, long earlyBytes, long lateBytes) {
    int first = firstHop(row);
    boolean spreads = isSpread(row);
    for (int h = first, end = first + hopCount(row); h < end; h++) {
      long fraction16 = spreads ? fraction16At(h) : WHOLE;
      ports.passed.add(
          portAt(h),
          bytes * fraction16 >> FRACTION_BITS,
          earlyBytes * fraction16 >> FRACTION_BITS,
          lateBytes * fraction16 >> FRACTION_BITS);
    }
  }

  public void addPackets(int row, long packets) {
    int first = firstHop(row);
    boolean spreads = isSpread(row);
    for (int h = first, end = first + hopCount(row); h < end; h++) {
      ports.packets16[portAt(h)] += packets * (spreads ? fraction16At(h) : WHOLE);
    }
  }

  public void addMarks(int row, long count) {
    marks.add(row, count);
    int last = firstHop(row) + hopCount(row) - 1;
    while (last >= firstHop(row) && ports.isReceiver[portAt(last)]) {
      last--;
    }
    if (last >= firstHop(row)) {
      ports.lastHopMarks[portAt(last)] += count;
    }
  }

  public int size() {
    return slots.used();
  }

  /** All rows are below; some may be free. */
  public int limit() {
    return slots.limit();
  }

  private void grow() {
    int size = 2 * path.length;
    path = Arrays.copyOf(path, size);
    references = Arrays.copyOf(references, size);
    marks.grow(size);
    cells = Arrays.copyOf(cells, size * STRIDE);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.state;

import java.util.Arrays;
import org.sluice.engine.collections.Slots;

/**
 * Marks of the paths of which several ports mark, divided among these by what they mark. That is
 * done anew in each period, so all that it takes lies side by side here, by row: to fetch it from
 * the tables of all paths costs far more than to divide.
 */
public final class SharedMarks {
  private static final int FIRST = 64;
  private static final int FIRST_HOPS = 4;

  private final PathTable paths;
  private final PortTable ports;
  private final Slots slots = new Slots();
  private int[] path = new int[FIRST];
  private boolean[] estimated = new boolean[FIRST];
  private long[] marks = new long[FIRST];

  /** Each row has space for so many hops; behind its path's own ones are some of no weight. */
  private int stride = FIRST_HOPS;

  private int[] hopPort = new int[FIRST * stride];
  private int[] hopFraction16 = new int[FIRST * stride];

  /** Of the row that is being divided, by hop. */
  private double[] weights = new double[stride];

  SharedMarks(PathTable paths, PortTable ports) {
    this.paths = paths;
    this.ports = ports;
  }

  /** A row for a path, without marks. */
  int take(int ofPath) {
    int row = slots.take();
    if (row == path.length) {
      grow();
    }
    path[row] = ofPath;
    estimated[row] = paths.isEstimated(ofPath);
    copyHops(row);
    return row;
  }

  private void copyHops(int row) {
    int count = paths.hopCount(path[row]);
    if (count > stride) {
      widen(count);
    }
    int first = paths.firstHop(path[row]);
    for (int h = 0; h < stride; h++) {
      hopPort[row * stride + h] = h < count ? paths.portAt(first + h) : 0;
      hopFraction16[row * stride + h] = h < count ? paths.fraction16At(first + h) : 0;
    }
  }

  /** Takes back a row whose marks have been taken off. */
  void giveBack(int row) {
    slots.giveBack(row);
  }

  void add(int row, long count) {
    marks[row] += count;
  }

  /** All rows are below; those that are free have no marks. */
  public int limit() {
    return slots.limit();
  }

  public int path(int row) {
    return path[row];
  }

  /** Whether the row's path has marks in this period. */
  public boolean isMarked(int row) {
    return marks[row] > 0;
  }

  /**
   * Adds the row's marks to those of its path's ports. Which ones mark is not to be foreseen:
   * adding nothing to the others is cheaper than a test.
   *
   * @param marking by port, the part of its packets that it marks
   * @return false if none of the ports marks: nothing was done
   */
  public boolean divide(int row, double[] marking) {
    int first = row * stride;
    double total = 0;
    int strongest = 0;
    for (int h = 0; h < stride; h++) {
      weights[h] = marking[hopPort[first + h]] * hopFraction16[first + h];
      total += weights[h];
      strongest = weights[h] > weights[strongest] ? h : strongest;
    }
    if (total == 0) {
      return false;
    }
    long rest = marks[row];
    for (int h = 0; h < stride; h++) {
      long part = (long) (marks[row] * weights[h] / total);
      rest -= part;
      give(hopPort[first + h], part, estimated[row]);
    }
    give(hopPort[first + strongest], rest, estimated[row]);
    return true;
  }

  private void give(int port, long count, boolean isEstimated) {
    ports.pathMarks[port] += count;
    if (isEstimated) {
      ports.estimatedPathMarks[port] |= count > 0;
    }
  }

  /** Begins a period: no path has marks. */
  void clear() {
    Arrays.fill(marks, 0, slots.limit(), 0);
  }

  private void grow() {
    int size = 2 * path.length;
    path = Arrays.copyOf(path, size);
    estimated = Arrays.copyOf(estimated, size);
    marks = Arrays.copyOf(marks, size);
    hopPort = Arrays.copyOf(hopPort, size * stride);
    hopFraction16 = Arrays.copyOf(hopFraction16, size * stride);
  }

  private void widen(int wanted) {
    hopPort = widened(hopPort, wanted);
    hopFraction16 = widened(hopFraction16, wanted);
    weights = new double[wanted];
    stride = wanted;
  }

  private int[] widened(int[] rows, int wanted) {
    int[] result = new int[path.length * wanted];
    for (int row = 0; row < slots.limit(); row++) {
      System.arraycopy(rows, row * stride, result, row * wanted, stride);
    }
    return result;
  }
}

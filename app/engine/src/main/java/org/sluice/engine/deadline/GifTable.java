// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.sluice.api.IpAddress;
import org.sluice.engine.law.FlowsByPriority;

/**
 * The Global Information Flow table: every flow that the controller has, by priority ({@link
 * GifRow#comesBefore}). Ties are broken the same way every time.
 */
final class GifTable implements FlowsByPriority {
  /** As many rows as a processor fetches at once. */
  private static final int BLOCK = 16;

  private GifRow[] rows = new GifRow[64];
  private int size;
  private final Map<IpAddress, SourceFlows> sources = new HashMap<>();
  private int promised;
  private int withDeadline;

  /** Of all that was fetched: else the compiler would find out that it is not needed. */
  private long fetched;

  @Override
  public int size() {
    return size;
  }

  @Override
  public GifRow get(int priority) {
    return rows[priority];
  }

  /**
   * {@link #get} for those who go through the table from one end to the other. Rows lie in memory
   * in the order in which they came, and with thousands of them the nearest caches do not hold
   * them: fetched one after the other, each is waited for; a block at a time, the waits pass
   * together. That makes a round twice as fast.
   */
  @Override
  public GifRow walk(int priority) {
    if (priority % BLOCK == 0) {
      fetch(priority, Math.min(size, priority + BLOCK));
    }
    return rows[priority];
  }

  private void fetch(int from, int to) {
    long sum = 0;
    for (int i = from; i < to; i++) {
      sum += rows[i].touch();
    }
    fetched += sum;
  }

  /** The first place of one that is not promised; all behind it are not either. */
  int firstNotPromised() {
    return promised;
  }

  @Override
  public int firstWithoutDeadline() {
    return withDeadline;
  }

  void add(GifRow row) {
    if (size == rows.length) {
      rows = Arrays.copyOf(rows, size * 2);
    }
    int at = placeOf(row);
    System.arraycopy(rows, at, rows, at + 1, size - at);
    rows[at] = row;
    size++;
    row.siblings = sources.computeIfAbsent(row.source(), source -> new SourceFlows());
    count(row, 1);
  }

  /**
   * Takes a row out.
   *
   * @throws IllegalStateException if it is not there
   */
  void remove(GifRow row) {
    int at = placeOf(row);
    if (at >= size || rows[at] != row) {
      throw new IllegalStateException("flow " + row.key + " is not in the table");
    }
    System.arraycopy(rows, at + 1, rows, at, size - at - 1);
    rows[--size] = null;
    count(row, -1);
    if (row.siblings.flows == 0) {
      sources.remove(row.source());
    }
  }

  private void count(GifRow row, int change) {
    promised += row.isPromised() ? change : 0;
    withDeadline += row.hasDeadline() ? change : 0;
    row.siblings.flows += change;
    row.siblings.withDeadline += row.hasDeadline() && row.isSending() ? change : 0;
  }

  /** Where a row stands or belongs: the first place whose row does not come before it. */
  private int placeOf(GifRow row) {
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (rows[middle].comesBefore(row)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}

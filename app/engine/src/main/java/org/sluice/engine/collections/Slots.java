// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.collections;

/** Hands out row numbers of a table and takes them back; freed ones come first. */
public final class Slots {
  private final IntList free = new IntList();
  private int limit;

  /** A free row number; equal to the former {@link #limit} if the table must grow. */
  public int take() {
    return free.isEmpty() ? limit++ : free.pop();
  }

  public void giveBack(int slot) {
    free.add(slot);
  }

  /** All row numbers ever handed out are below. */
  public int limit() {
    return limit;
  }

  public int used() {
    return limit - free.size();
  }
}

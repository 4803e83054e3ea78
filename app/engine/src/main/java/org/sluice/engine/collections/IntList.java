// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.collections;

import java.util.Arrays;

/** A growing list of ints. */
public final class IntList {
  private int[] values = new int[16];
  private int size;

  public void add(int value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, 2 * size);
    }
    values[size++] = value;
  }

  public int get(int index) {
    return values[index];
  }

  public boolean contains(int value) {
    for (int i = 0; i < size; i++) {
      if (values[i] == value) {
        return true;
      }
    }
    return false;
  }

  /** Takes the last value off. */
  public int pop() {
    return values[--size];
  }

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  public void clear() {
    size = 0;
  }
}

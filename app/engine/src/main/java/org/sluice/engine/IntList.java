// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.Arrays;

/** A growing list of ints. */
final class IntList {
  private int[] values = new int[16];
  private int size;

  void add(int value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, 2 * size);
    }
    values[size++] = value;
  }

  int get(int index) {
    return values[index];
  }

  boolean contains(int value) {
    for (int i = 0; i < size; i++) {
      if (values[i] == value) {
        return true;
      }
    }
    return false;
  }

  /** Takes the last value off. */
  int pop() {
    return values[--size];
  }

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  void clear() {
    size = 0;
  }
}

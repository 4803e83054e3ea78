// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.queue;

import java.util.Arrays;

/** Classes with packets, in the order in which they are served. */
final class ServiceRing {
  private NicClass[] members = new NicClass[4];
  private int size;
  private int cursor;

  int size() {
    return size;
  }

  NicClass get(int i) {
    return members[i];
  }

  NicClass current() {
    return members[cursor];
  }

  void advance() {
    cursor = cursor + 1 == size ? 0 : cursor + 1;
  }

  /** Adds one: its turn comes after all others'. */
  void add(NicClass member) {
    if (size == members.length) {
      members = Arrays.copyOf(members, size * 2);
    }
    System.arraycopy(members, cursor, members, cursor + 1, size - cursor);
    members[cursor] = member;
    size++;
    advance();
  }

  /** The next one is current then. */
  void removeCurrent() {
    size--;
    System.arraycopy(members, cursor + 1, members, cursor, size - cursor);
    members[size] = null;
    if (cursor == size) {
      cursor = 0;
    }
  }
}

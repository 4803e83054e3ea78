// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

/** Transaction numbers of one connection, never 0 and never the same within four billion. */
final class Xids {
  private static final long MASK = 0xffffffffL;

  private long last;

  long next() {
    last = (last + 1) & MASK;
    if (last == 0) {
      last = 1;
    }
    return last;
  }
}

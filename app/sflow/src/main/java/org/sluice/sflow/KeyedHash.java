// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import java.security.SecureRandom;

/** Hashes that differ from process to process: nobody outside can choose values that collide. */
final class KeyedHash {
  private static final long KEY = new SecureRandom().nextLong();

  private KeyedHash() {}

  static long begin() {
    return KEY;
  }

  static long add(long hash, long value) {
    long mixed = (hash ^ value) * 0x9fb21c651e98df25L;
    mixed ^= mixed >>> 32;
    mixed *= 0xd6e8feb86659fd93L;
    return mixed ^ mixed >>> 29;
  }
}

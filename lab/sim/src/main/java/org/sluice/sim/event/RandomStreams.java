// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.event;

import java.util.SplittableRandom;

/**
 * Randomness by name: each part of a model draws from a stream of its own, so that adding one part
 * does not change what another draws. The same seed and name give the same numbers on every
 * machine.
 */
public final class RandomStreams {
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private final long seed;

  public RandomStreams(long seed) {
    this.seed = seed;
  }

  public long seed() {
    return seed;
  }

  /** A new stream; two calls give two that yield the same. */
  public SplittableRandom stream(String name) {
    long hash = FNV_OFFSET;
    for (int i = 0; i < name.length(); i++) {
      hash = (hash ^ name.charAt(i)) * FNV_PRIME;
    }
    return new SplittableRandom(new SplittableRandom(seed).nextLong() ^ hash);
  }
}

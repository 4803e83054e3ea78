// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.opentcp;

/** What policies remember from cycle to cycle, by target: hysteresis needs no more. */
final class PolicyMemory {
  private final boolean[] active;
  private final int[] cycles;

  /** Nothing is given yet. */
  PolicyMemory(int targets) {
    this(new boolean[targets], new int[targets]);
  }

  private PolicyMemory(boolean[] active, int[] cycles) {
    this.active = active;
    this.cycles = cycles;
  }

  /** One that changes by itself: for a dry run. */
  PolicyMemory copy() {
    return new PolicyMemory(active.clone(), cycles.clone());
  }

  boolean isActive(int target) {
    return active[target];
  }

  /** For how many cycles it is active; where not: in how many in a row nothing was against it. */
  int cycles(int target) {
    return cycles[target];
  }

  void set(int target, boolean isActive, int forCycles) {
    active[target] = isActive;
    cycles[target] = forCycles;
  }
}

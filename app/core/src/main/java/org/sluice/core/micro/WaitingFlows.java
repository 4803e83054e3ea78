// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import java.util.ArrayList;
import java.util.List;

/**
 * Flows that switches have seen, on their way to the engine thread. They are bounded apart from the
 * inbox, so that samples, which anybody may forge, take no space there from what agents report.
 * Thread-safe.
 */
final class WaitingFlows {
  /** In a control period. */
  static final int CAPACITY = 4_096;

  private List<SampledFlow> waiting = new ArrayList<>();

  /** Takes as many as there is space for; how many were taken. */
  synchronized int add(List<SampledFlow> flows) {
    int taken = Math.min(flows.size(), CAPACITY - waiting.size());
    waiting.addAll(flows.subList(0, taken));
    return taken;
  }

  /** Gives all of them, in their order, and has none then. */
  synchronized List<SampledFlow> removeAll() {
    if (waiting.isEmpty()) {
      return List.of();
    }
    List<SampledFlow> all = waiting;
    waiting = new ArrayList<>();
    return all;
  }
}

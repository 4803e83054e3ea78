// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import org.sluice.engine.EngineStatistics.Figure;

/** The engine's running figures. */
final class Counters {
  private final long[] values = new long[Figure.values().length];

  void add(Figure figure, long amount) {
    values[figure.ordinal()] += amount;
  }

  void increment(Figure figure) {
    values[figure.ordinal()]++;
  }

  void set(Figure figure, long value) {
    values[figure.ordinal()] = value;
  }

  long get(Figure figure) {
    return values[figure.ordinal()];
  }

  EngineStatistics snapshot() {
    return new EngineStatistics(values.clone());
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.statistics;

import org.sluice.engine.statistics.EngineStatistics.Figure;

/** The engine's running figures. */
public final class Counters {
  private final long[] values = new long[Figure.values().length];

  public void add(Figure figure, long amount) {
    values[figure.ordinal()] += amount;
  }

  public void increment(Figure figure) {
    values[figure.ordinal()]++;
  }

  public void set(Figure figure, long value) {
    values[figure.ordinal()] = value;
  }

  public long get(Figure figure) {
    return values[figure.ordinal()];
  }

  public EngineStatistics snapshot() {
    return new EngineStatistics(values.clone());
  }
}

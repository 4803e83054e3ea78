// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.micro;

import java.util.Arrays;
import org.sluice.engine.law.MicroFlowParameters;

/**
 * The sizes at which a flow leaves one level of priority for the next, in the spirit of
 * information-agnostic scheduling (Bai et al., "Information-Agnostic Flow Scheduling for Commodity
 * Data Centers", NSDI 2015): each level has as many of the flows end in it, by the sizes that have
 * been seen. Background flows are the last level.
 */
final class Levels {
  /** Below that many flows nothing is concluded. */
  private static final int LEAST_FLOWS = 100;

  /** What is remembered of a period in the next: sizes count for some ten periods. */
  private static final double REMEMBERED = 0.9;

  private final MicroFlowParameters parameters;
  private final CapSink sink;
  private final FlowSizes sizes = new FlowSizes();
  private final long[] thresholdsBytes;
  private long nextNanos;

  Levels(MicroFlowParameters parameters, CapSink sink) {
    this.parameters = parameters;
    this.sink = sink;
    this.thresholdsBytes = parameters.firstThresholdsBytes();
  }

  /** So many flows of a size have ended. */
  void ended(long bytes, long flows) {
    sizes.add(bytes, flows);
  }

  /** What a background flow has sent more than. */
  long backgroundBytes() {
    return thresholdsBytes[thresholdsBytes.length - 1];
  }

  /** Tunes the thresholds once in a period. */
  void tick(long nowNanos) {
    if (nowNanos < nextNanos) {
      return;
    }
    nextNanos = nowNanos + parameters.levelPeriodNanos();
    if (thresholdsBytes.length > 1 && sizes.total() >= LEAST_FLOWS) {
      tune();
    }
    sizes.age(REMEMBERED);
  }

  private void tune() {
    boolean hasChanged = false;
    int last = thresholdsBytes.length - 1;
    for (int i = 0; i <= last; i++) {
      long quantile = sizes.quantile((i + 1.0) / (last + 2));
      long tuned = i == last ? Math.max(parameters.backgroundBytes(), quantile) : quantile;
      hasChanged |= tuned != thresholdsBytes[i];
      thresholdsBytes[i] = tuned;
    }
    if (hasChanged) {
      sink.levels(Arrays.copyOf(thresholdsBytes, last + 1), Math.round(sizes.total()));
    }
  }
}

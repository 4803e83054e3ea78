// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.agent;

import java.util.List;

/**
 * A host's levels of priority, as its agent is configured: {@code levels} in agents' configuration.
 *
 * @param thresholdsBytes IP bytes that a flow sends before it leaves its level for the next: 1 to
 *     3, ascending, above 0
 * @param idleNanos after such a silence a flow begins at the first level again, above 0
 */
public record LevelParameters(List<Long> thresholdsBytes, long idleNanos) {
  /** Two levels, at 16 KiB, as the agent's page has it; half a second. */
  public static final LevelParameters DEFAULTS =
      new LevelParameters(List.of(16_384L), 500_000_000L);

  private static final int MOST_THRESHOLDS = 3;

  /**
   * @throws IllegalArgumentException if a value is out of range
   */
  public LevelParameters {
    thresholdsBytes = List.copyOf(thresholdsBytes);
    int thresholds = thresholdsBytes.size();
    boolean isRefused = thresholds == 0 || thresholds > MOST_THRESHOLDS || idleNanos <= 0;
    long before = 0;
    for (long threshold : thresholdsBytes) {
      isRefused |= threshold <= before;
      before = threshold;
    }
    if (isRefused) {
      throw new IllegalArgumentException(
          "there must be 1 to 3 thresholds, ascending, and idleNanos, all above 0");
    }
  }

  /** How many levels there are. */
  public int levels() {
    return thresholdsBytes.size() + 1;
  }
}

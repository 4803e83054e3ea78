// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.PortId;

/** From how many packets on the queues of a port mark for a while. */
@AutoValue
public abstract class PortThresholds {

  /**
   * Thresholds.
   *
   * @param packets of each level, the first served first, or of the one queue; at least 1 each
   * @param holdNanos from when the agent receives it, above 0, at most {@link
   *     RateCap#MOST_HOLD_NANOS}
   */
  public static PortThresholds of(PortId port, List<Integer> packets, long holdNanos) {
    return new AutoValue_PortThresholds(port, List.copyOf(packets), holdNanos);
  }

  public abstract PortId port();

  public abstract List<Integer> packets();

  /** How long they hold from when the agent receives them, ns. */
  public abstract long holdNanos();
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.PortId;

/**
 * All background queues of a port that has levels: one for each port that the next switch sends on
 * by. They end with the sending node's lease.
 */
@AutoValue
public abstract class BackgroundQueues {
  /** The most queues that an agent takes for a port. */
  public static final int MOST_QUEUES = 64;

  /** The most destinations that an agent takes for a port, of all of its queues together. */
  public static final int MOST_DESTINATIONS = 16_384;

  public static BackgroundQueues of(PortId port, List<BackgroundQueue> queues) {
    return new AutoValue_BackgroundQueues(port, List.copyOf(queues));
  }

  public abstract PortId port();

  public abstract List<BackgroundQueue> queues();
}

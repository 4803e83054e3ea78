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

  public static BackgroundQueues of(PortId port, List<BackgroundQueue> queues) {
    return new AutoValue_BackgroundQueues(port, List.copyOf(queues));
  }

  public abstract PortId port();

  public abstract List<BackgroundQueue> queues();
}

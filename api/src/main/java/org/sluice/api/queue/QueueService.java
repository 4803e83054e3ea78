// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.queue;

import java.util.List;
import java.util.Optional;
import org.sluice.api.PortId;

/** Reads queues, background flows and caps. Of this node: of the ports that it decides about. */
public interface QueueService {

  /** All ports whose queues are known, by id. */
  List<PortQueues> queues();

  Optional<PortQueues> queues(PortId port);

  /** Flows beyond the last level's threshold that have not ended, by key. */
  List<BackgroundFlow> backgroundFlows();

  /** Caps in force, by upstream and downstream port. */
  List<ActiveCap> caps();

  /**
   * The sizes at which flows leave a level for the next, as the controller has tuned them, bytes,
   * rising; empty: agents use their own.
   */
  List<Long> levelThresholdsBytes();
}

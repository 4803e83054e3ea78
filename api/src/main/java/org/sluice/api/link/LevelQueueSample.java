// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;

/**
 * What the queue of one level of a port did over an interval. All but the backlog are increments.
 */
@AutoValue
public abstract class LevelQueueSample {

  public static LevelQueueSample of(
      long sentPackets, long sentBytes, long droppedPackets, long backlogPackets) {
    return new AutoValue_LevelQueueSample(sentPackets, sentBytes, droppedPackets, backlogPackets);
  }

  public abstract long sentPackets();

  /** Bytes of whole frames. */
  public abstract long sentBytes();

  public abstract long droppedPackets();

  /** Packets in the queue when this was read. */
  public abstract long backlogPackets();
}

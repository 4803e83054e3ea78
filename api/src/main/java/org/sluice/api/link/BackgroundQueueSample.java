// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import org.sluice.api.PortId;

/**
 * What a background queue of a port did over an interval. All but backlog and cap are increments.
 */
@AutoValue
public abstract class BackgroundQueueSample {

  public static BackgroundQueueSample of(
      PortId downstream,
      long sentBytes,
      long droppedPackets,
      long backlogPackets,
      long capBitsPerSecond) {
    return new AutoValue_BackgroundQueueSample(
        downstream, sentBytes, droppedPackets, backlogPackets, capBitsPerSecond);
  }

  /** The port that its packets leave the next switch by. */
  public abstract PortId downstream();

  /** Bytes of whole frames. */
  public abstract long sentBytes();

  public abstract long droppedPackets();

  /** Packets in the queue when this was read. */
  public abstract long backlogPackets();

  /** In force when this was read; 0: none. */
  public abstract long capBitsPerSecond();
}

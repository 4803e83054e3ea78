// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.queue;

import com.google.auto.value.AutoValue;

/** The queue of one level of a port. */
@AutoValue
public abstract class LevelQueue {

  /**
   * A queue.
   *
   * @param sentBitsPerSecond of late
   * @param droppedPackets since the controller has known the port
   */
  public static LevelQueue of(
      int level, long backlogPackets, long sentBitsPerSecond, long droppedPackets) {
    return new AutoValue_LevelQueue(level, backlogPackets, sentBitsPerSecond, droppedPackets);
  }

  /** 0 is served first. */
  public abstract int level();

  public abstract long backlogPackets();

  /** Of late, bit/s of whole frames. */
  public abstract long sentBitsPerSecond();

  /** Since the controller has known the port. */
  public abstract long droppedPackets();
}

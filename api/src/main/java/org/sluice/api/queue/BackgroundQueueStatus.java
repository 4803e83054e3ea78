// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.queue;

import com.google.auto.value.AutoValue;
import org.sluice.api.PortId;

/** A background queue of a port: what goes on by one port of the next switch. */
@AutoValue
public abstract class BackgroundQueueStatus {

  public static BackgroundQueueStatus of(
      PortId downstream, long backlogPackets, long sentBitsPerSecond, long capBitsPerSecond) {
    return new AutoValue_BackgroundQueueStatus(
        downstream, backlogPackets, sentBitsPerSecond, capBitsPerSecond);
  }

  public abstract PortId downstream();

  public abstract long backlogPackets();

  /** Of late, bit/s of whole frames. */
  public abstract long sentBitsPerSecond();

  /** In force, as its port's agent reports it; 0: none. */
  public abstract long capBitsPerSecond();
}

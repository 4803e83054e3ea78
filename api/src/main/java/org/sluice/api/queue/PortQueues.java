// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.queue;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.PortId;

/** What waits at a port, and what that is judged by. */
@AutoValue
public abstract class PortQueues {

  /** Where lengths come from. */
  public enum Source {
    /** The port's agent, which keeps the queue: exact. */
    PORT_AGENT,
    /** What hosts and switches counted: see {@link #errorPackets}. */
    ESTIMATED
  }

  public static Builder builder(PortId port) {
    return new AutoValue_PortQueues.Builder()
        .port(port)
        .errorPackets(0)
        .levels(List.of())
        .background(List.of());
  }

  public abstract PortId port();

  public abstract Source source();

  public abstract long capacityBitsPerSecond();

  /** Of all of its queues together, packets. */
  public abstract long backlogPackets();

  /** How far from the truth the lengths may be, packets; 0 for those of a port agent. */
  public abstract long errorPackets();

  /** What a queue has space for, packets; 0: unknown. */
  public abstract int bufferPackets();

  /** TH: from so many packets in the micro queue on upstream ports are capped; 0: they are not. */
  public abstract int thresholdPackets();

  /** qc, by which alpha is computed, packets; 0 with {@link #thresholdPackets}. */
  public abstract int capacityPackets();

  /** For how long nothing was reported, ms. */
  public abstract long ageMillis();

  /** The first served first; empty where the port has one queue. */
  public abstract List<LevelQueue> levels();

  /** The last level's. */
  public abstract List<BackgroundQueueStatus> background();

  /** Makes one. */
  @AutoValue.Builder
  public abstract static class Builder {
    abstract Builder port(PortId value);

    public abstract Builder source(Source value);

    public abstract Builder capacityBitsPerSecond(long value);

    public abstract Builder backlogPackets(long value);

    public abstract Builder errorPackets(long value);

    public abstract Builder bufferPackets(int value);

    public abstract Builder thresholdPackets(int value);

    public abstract Builder capacityPackets(int value);

    public abstract Builder ageMillis(long value);

    public abstract Builder levels(List<LevelQueue> value);

    public abstract Builder background(List<BackgroundQueueStatus> value);

    public abstract PortQueues build();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.PortId;

/**
 * What the queue of a software switch's port did over an interval, as the port agent that keeps it
 * counted it. All but the backlog are increments.
 */
@AutoValue
public abstract class PortQueueSample {

  public static PortQueueSample of(
      PortId port,
      long sentPackets,
      long sentBytes,
      long markedPackets,
      long overThresholdPackets,
      long droppedPackets,
      long backlogPackets,
      long backlogBytes) {
    return new AutoValue_PortQueueSample.Builder()
        .port(port)
        .sentPackets(sentPackets)
        .sentBytes(sentBytes)
        .markedPackets(markedPackets)
        .overThresholdPackets(overThresholdPackets)
        .droppedPackets(droppedPackets)
        .backlogPackets(backlogPackets)
        .backlogBytes(backlogBytes)
        .bufferPackets(0)
        .markThresholdPackets(0)
        .levels(List.of())
        .background(List.of())
        .build();
  }

  /**
   * The same, with its queues.
   *
   * @param bufferPackets what the queue, or each level's, has space for; 0: unknown
   * @param levels the first served first; empty where the port has one queue
   * @param background the last level's background queues
   */
  public final PortQueueSample with(
      int bufferPackets, List<LevelQueueSample> levels, List<BackgroundQueueSample> background) {
    return toBuilder()
        .bufferPackets(bufferPackets)
        .levels(List.copyOf(levels))
        .background(List.copyOf(background))
        .build();
  }

  /** The same queue, which marks above so many packets, or whose levels do; 0: it does not. */
  public final PortQueueSample withMarkThreshold(int packets) {
    return toBuilder().markThresholdPackets(packets).build();
  }

  public abstract PortId port();

  public abstract long sentPackets();

  /** Bytes of whole frames, as the queue charges them. */
  public abstract long sentBytes();

  /** Packets that this queue set to CE; 0 where it does not mark. */
  public abstract long markedPackets();

  /**
   * Packets that found more than the marking threshold in the queue, ECN-capable or not: what would
   * have been marked. Not less than the marked ones.
   */
  public abstract long overThresholdPackets();

  public abstract long droppedPackets();

  /** Packets in the queue when this was read. */
  public abstract long backlogPackets();

  /** Bytes in the queue when this was read. */
  public abstract long backlogBytes();

  /** What the queue, or each level's, has space for; 0: unknown. */
  public abstract int bufferPackets();

  /** As configured, of the queue or of each level's; 0: it does not mark. */
  public abstract int markThresholdPackets();

  /**
   * The queue of each level, the first served first; empty where the port has one queue. What
   * background queues hold counts for the last level, too.
   */
  public abstract List<LevelQueueSample> levels();

  /** The last level's background queues. */
  public abstract List<BackgroundQueueSample> background();

  abstract Builder toBuilder();

  /** Builds a sample. */
  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder port(PortId port);

    abstract Builder sentPackets(long packets);

    abstract Builder sentBytes(long bytes);

    abstract Builder markedPackets(long packets);

    abstract Builder overThresholdPackets(long packets);

    abstract Builder droppedPackets(long packets);

    abstract Builder backlogPackets(long packets);

    abstract Builder backlogBytes(long bytes);

    abstract Builder bufferPackets(int packets);

    abstract Builder markThresholdPackets(int packets);

    abstract Builder levels(List<LevelQueueSample> levels);

    abstract Builder background(List<BackgroundQueueSample> background);

    abstract PortQueueSample build();
  }
}

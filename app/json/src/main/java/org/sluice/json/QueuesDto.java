// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;
import java.util.stream.Collectors;
import org.sluice.api.PortId;
import org.sluice.api.queue.BackgroundQueueStatus;
import org.sluice.api.queue.LevelQueue;
import org.sluice.api.queue.PortQueues;

/** The queues of a port in JSON. */
@JsonPropertyOrder({
  "port",
  "lengthsFrom",
  "capacityBitsPerSecond",
  "backlogPackets",
  "errorPackets",
  "bufferPackets",
  "thresholdPackets",
  "queueCapacityPackets",
  "ageMillis",
  "levels",
  "background"
})
public final class QueuesDto {
  @JsonProperty final PortId port;
  @JsonProperty final PortQueues.Source lengthsFrom;
  @JsonProperty final long capacityBitsPerSecond;
  @JsonProperty final long backlogPackets;
  @JsonProperty final long errorPackets;
  @JsonProperty final Integer bufferPackets;
  @JsonProperty final Integer thresholdPackets;
  @JsonProperty final Integer queueCapacityPackets;
  @JsonProperty final long ageMillis;
  @JsonProperty final List<LevelDto> levels;
  @JsonProperty final List<BackgroundDto> background;

  public QueuesDto(PortQueues queues) {
    port = queues.port();
    lengthsFrom = queues.source();
    capacityBitsPerSecond = queues.capacityBitsPerSecond();
    backlogPackets = queues.backlogPackets();
    errorPackets = queues.errorPackets();
    bufferPackets = orNull(queues.bufferPackets());
    thresholdPackets = orNull(queues.thresholdPackets());
    queueCapacityPackets = orNull(queues.capacityPackets());
    ageMillis = queues.ageMillis();
    levels = queues.levels().stream().map(LevelDto::new).collect(Collectors.toList());
    background = queues.background().stream().map(BackgroundDto::new).collect(Collectors.toList());
  }

  /** 0 stands for unknown or unused. */
  private static Integer orNull(int packets) {
    return packets == 0 ? null : packets;
  }

  @JsonPropertyOrder({"level", "backlogPackets", "sentBitsPerSecond", "droppedPackets"})
  private static final class LevelDto {
    @JsonProperty final int level;
    @JsonProperty final long backlogPackets;
    @JsonProperty final long sentBitsPerSecond;
    @JsonProperty final long droppedPackets;

    LevelDto(LevelQueue queue) {
      level = queue.level();
      backlogPackets = queue.backlogPackets();
      sentBitsPerSecond = queue.sentBitsPerSecond();
      droppedPackets = queue.droppedPackets();
    }
  }

  @JsonPropertyOrder({"downstream", "backlogPackets", "sentBitsPerSecond", "capBitsPerSecond"})
  private static final class BackgroundDto {
    @JsonProperty final PortId downstream;
    @JsonProperty final long backlogPackets;
    @JsonProperty final long sentBitsPerSecond;
    @JsonProperty final Long capBitsPerSecond;

    BackgroundDto(BackgroundQueueStatus queue) {
      downstream = queue.downstream();
      backlogPackets = queue.backlogPackets();
      sentBitsPerSecond = queue.sentBitsPerSecond();
      capBitsPerSecond = Json.rateOrNull(queue.capBitsPerSecond());
    }
  }
}

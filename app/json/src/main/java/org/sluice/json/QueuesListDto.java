// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;

/** The queues of all ports, and the sizes by which flows change levels, in JSON. */
@JsonPropertyOrder({"queues", "levelThresholdsBytes"})
public final class QueuesListDto {
  @JsonProperty final List<QueuesDto> queues;
  @JsonProperty final List<Long> levelThresholdsBytes;

  public QueuesListDto(List<QueuesDto> queues, List<Long> levelThresholdsBytes) {
    this.queues = List.copyOf(queues);
    this.levelThresholdsBytes = List.copyOf(levelThresholdsBytes);
  }
}

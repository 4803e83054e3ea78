// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.math.BigDecimal;
import java.time.Instant;

/** The fields of a request to change a registration. What is null is not given. */
@JsonPropertyOrder({"sizeBytes", "dueInMillis", "deadline", "force"})
class FlowChangeDto {
  @JsonProperty BigDecimal sizeBytes;
  @JsonProperty BigDecimal dueInMillis;
  @JsonProperty Instant deadline;
  @JsonProperty Boolean force;
}

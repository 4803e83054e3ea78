// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.math.BigDecimal;
import org.sluice.api.IpAddress;

/** The fields of a request to register a flow. What is null is not given. */
@JsonPropertyOrder({
  "source",
  "sourcePort",
  "destination",
  "destinationPort",
  "sizeBytes",
  "dueInMillis",
  "deadline",
  "beginsInMillis",
  "force"
})
final class DeadlineRequestDto extends FlowChangeDto {
  @JsonProperty IpAddress source;
  @JsonProperty BigDecimal sourcePort;
  @JsonProperty IpAddress destination;
  @JsonProperty BigDecimal destinationPort;
  @JsonProperty BigDecimal beginsInMillis;
}

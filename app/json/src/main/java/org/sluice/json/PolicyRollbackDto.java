// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.math.BigDecimal;

/** The fields of a request to put an earlier revision in force. What is null is not given. */
@JsonPropertyOrder("revision")
class PolicyRollbackDto {
  @JsonProperty BigDecimal revision;
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import org.sluice.api.policy.PolicyFinding;

/** The fields of what does not fit the network, in JSON. */
@JsonPropertyOrder({"field", "value", "message", "remedy"})
public final class PolicyFindingDto {
  @JsonProperty final String field;
  @JsonProperty final String value;
  @JsonProperty final String message;
  @JsonProperty final String remedy;

  public PolicyFindingDto(PolicyFinding finding) {
    field = finding.field();
    value = finding.value();
    message = finding.message();
    remedy = finding.remedy();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;

/** The fields of one of several refusals in JSON. */
@JsonPropertyOrder({"pointer", "value", "detail", "remedy"})
public final class RefusalDto {
  /** Where the value at fault is in the request's body (RFC 6901). */
  @JsonProperty final String pointer;

  @JsonProperty final String value;
  @JsonProperty final String detail;
  @JsonProperty final String remedy;

  public RefusalDto(String pointer, String value, String detail, String remedy) {
    this.pointer = pointer;
    this.value = value;
    this.detail = detail;
    this.remedy = remedy;
  }
}

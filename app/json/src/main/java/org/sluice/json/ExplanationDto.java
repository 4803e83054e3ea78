// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Collectors;
import org.sluice.api.EndpointId;
import org.sluice.api.TenantId;
import org.sluice.api.why.Explanation;

/** The fields of an explanation in JSON. */
@JsonPropertyOrder({
  "endpoint", "tenant", "weight", "cause", "summary",
  "lines", "deliveredBitsPerSecond", "limitBitsPerSecond", "ports", "journal"
})
public final class ExplanationDto {
  @JsonProperty final EndpointId endpoint;
  @JsonProperty final TenantId tenant;
  @JsonProperty final BigDecimal weight;
  @JsonProperty final String cause;
  @JsonProperty final String summary;
  @JsonProperty final List<String> lines;
  @JsonProperty final long deliveredBitsPerSecond;
  @JsonProperty final Long limitBitsPerSecond;
  @JsonProperty final List<PortReasonDto> ports;
  @JsonProperty final List<JournalEntryDto> journal;

  public ExplanationDto(Explanation why) {
    endpoint = why.endpoint();
    tenant = why.tenant();
    weight = Json.rounded(why.tenantWeight());
    cause = why.cause().text();
    summary = why.summary();
    lines = why.lines();
    deliveredBitsPerSecond = why.deliveredBitsPerSecond();
    limitBitsPerSecond = Json.rateOrNull(why.limitBitsPerSecond());
    ports = why.ports().stream().map(PortReasonDto::new).collect(Collectors.toList());
    journal = why.journal().stream().map(JournalEntryDto::new).collect(Collectors.toList());
  }
}

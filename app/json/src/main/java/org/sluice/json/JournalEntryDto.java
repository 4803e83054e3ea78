// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.time.Instant;
import org.sluice.api.EndpointId;
import org.sluice.api.JournalEntry;
import org.sluice.api.PortId;
import org.sluice.api.TenantId;

/** The fields of a decision in JSON. */
@JsonPropertyOrder({
  "sequence",
  "time",
  "kind",
  "law",
  "port",
  "portName",
  "endpoint",
  "tenant",
  "decision",
  "evidence"
})
public final class JournalEntryDto {
  @JsonProperty final long sequence;
  @JsonProperty final Instant time;
  @JsonProperty final JournalEntry.Kind kind;
  @JsonProperty final String law;
  @JsonProperty final PortId port;
  @JsonProperty final String portName;
  @JsonProperty final EndpointId endpoint;
  @JsonProperty final TenantId tenant;
  @JsonProperty final String decision;
  @JsonProperty final String evidence;

  public JournalEntryDto(JournalEntry entry) {
    sequence = entry.sequence();
    time = entry.time();
    kind = entry.kind();
    law = entry.law();
    port = entry.port().orElse(null);
    portName = entry.portName().orElse(null);
    endpoint = entry.endpoint().orElse(null);
    tenant = entry.tenant().orElse(null);
    decision = entry.decision();
    evidence = entry.evidence();
  }
}

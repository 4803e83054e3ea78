// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.math.BigDecimal;
import java.time.Instant;
import org.sluice.api.IpAddress;
import org.sluice.api.MilliTime;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;

/** The fields of a registration in JSON. */
@JsonPropertyOrder({
  "id", "source", "sourcePort", "destination", "destinationPort", "tenant",
  "sizeBytes", "remainingBytes", "deadline", "dueInMillis", "promised", "promiseLost",
  "state"
})
public final class FlowDto {
  @JsonProperty final long id;
  @JsonProperty final IpAddress source;
  @JsonProperty final int sourcePort;
  @JsonProperty final IpAddress destination;
  @JsonProperty final int destinationPort;
  @JsonProperty final TenantId tenant;
  @JsonProperty final long sizeBytes;
  @JsonProperty final long remainingBytes;
  @JsonProperty final Instant deadline;
  @JsonProperty final BigDecimal dueInMillis;
  @JsonProperty final boolean promised;
  @JsonProperty final boolean promiseLost;
  @JsonProperty final FlowState state;

  public FlowDto(FlowStatus flow) {
    id = flow.id();
    source = flow.flow().source();
    sourcePort = flow.flow().sourcePort();
    destination = flow.flow().destination();
    destinationPort = flow.flow().destinationPort();
    tenant = flow.tenant();
    sizeBytes = flow.sizeBytes();
    remainingBytes = flow.remainingBytes();
    deadline = flow.deadline();
    dueInMillis = MilliTime.fromNanos(flow.dueInNanos());
    promised = flow.promised();
    promiseLost = flow.promiseLost();
    state = flow.state();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.TenantId;
import org.sluice.api.queue.BackgroundFlow;

/** A flow that has sent more than short flows do, in JSON. */
@JsonPropertyOrder({
  "source",
  "sourcePort",
  "destination",
  "destinationPort",
  "endpoint",
  "tenant",
  "sizeFrom",
  "sentBytes",
  "sentBitsPerSecond",
  "ageMillis",
  "ports"
})
public final class BackgroundFlowDto {
  @JsonProperty final IpAddress source;
  @JsonProperty final int sourcePort;
  @JsonProperty final IpAddress destination;
  @JsonProperty final int destinationPort;
  @JsonProperty final EndpointId endpoint;
  @JsonProperty final TenantId tenant;
  @JsonProperty final BackgroundFlow.Source sizeFrom;
  @JsonProperty final long sentBytes;
  @JsonProperty final long sentBitsPerSecond;
  @JsonProperty final long ageMillis;
  @JsonProperty final List<PortId> ports;

  public BackgroundFlowDto(BackgroundFlow flow) {
    source = flow.flow().source();
    sourcePort = flow.flow().sourcePort();
    destination = flow.flow().destination();
    destinationPort = flow.flow().destinationPort();
    endpoint = flow.endpoint().orElse(null);
    tenant = flow.tenant().orElse(null);
    sizeFrom = flow.source();
    sentBytes = flow.sentBytes();
    sentBitsPerSecond = flow.sentBitsPerSecond();
    ageMillis = flow.ageMillis();
    ports = flow.ports();
  }
}

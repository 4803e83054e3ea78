// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.time.Instant;
import java.util.List;
import org.sluice.api.Host;
import org.sluice.api.HostId;
import org.sluice.api.PortId;

/** The fields of a host in JSON. */
@JsonPropertyOrder({
  "id",
  "connected",
  "stopped",
  "agentVersion",
  "uplink",
  "uplinkCapacityBitsPerSecond",
  "endpointCount",
  "lastSeen",
  "switchPorts",
  "missingFeatures",
  "residualDroppedPackets",
  "residualExceededBy"
})
public final class HostDto {
  @JsonProperty final HostId id;
  @JsonProperty final boolean connected;
  @JsonProperty final boolean stopped;
  @JsonProperty final String agentVersion;
  @JsonProperty final String uplink;
  @JsonProperty final long uplinkCapacityBitsPerSecond;
  @JsonProperty final int endpointCount;
  @JsonProperty final Instant lastSeen;
  @JsonProperty final List<PortId> switchPorts;
  @JsonProperty final List<String> missingFeatures;
  @JsonProperty final long residualDroppedPackets;
  @JsonProperty final List<String> residualExceededBy;

  public HostDto(Host host) {
    id = host.id();
    connected = host.connected();
    stopped = host.stopped();
    agentVersion = host.agentVersion();
    uplink = host.uplink().isEmpty() ? null : host.uplink();
    uplinkCapacityBitsPerSecond = host.uplinkCapacityBitsPerSecond();
    endpointCount = host.endpointCount();
    lastSeen = host.lastSeen();
    switchPorts = host.switchPorts();
    missingFeatures = host.missingFeatures();
    residualDroppedPackets = host.residualDroppedPackets();
    residualExceededBy = host.residualExceededBy();
  }
}

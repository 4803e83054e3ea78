// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Collectors;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointTraffic;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.PortLimit;
import org.sluice.api.TenantId;

/** The fields of an endpoint in JSON. */
@JsonPropertyOrder({
  "id",
  "host",
  "interface",
  "mac",
  "ips",
  "refusedIps",
  "metadata",
  "tenant",
  "attachment",
  "limitBitsPerSecond",
  "limits",
  "deliveredBitsPerSecond",
  "backlogBytes",
  "droppedPackets",
  "heldBack"
})
public final class EndpointDto {
  @JsonProperty final EndpointId id;
  @JsonProperty final HostId host;

  @JsonProperty("interface")
  final String interfaceName;

  @JsonProperty final MacAddress mac;
  @JsonProperty final List<IpAddress> ips;
  @JsonProperty final List<IpAddress> refusedIps;
  @JsonProperty final MetadataDto metadata;
  @JsonProperty final TenantId tenant;
  @JsonProperty final PortId attachment;
  @JsonProperty final Long limitBitsPerSecond;
  @JsonProperty final List<LimitDto> limits;

  // Null: its agent does not report.
  @JsonProperty final Long deliveredBitsPerSecond;
  @JsonProperty final Long backlogBytes;
  @JsonProperty final Long droppedPackets;

  @JsonProperty final boolean heldBack;

  public EndpointDto(Endpoint endpoint) {
    id = endpoint.id();
    host = id.host();
    interfaceName = id.interfaceName();
    mac = endpoint.mac();
    ips = endpoint.ips().stream().sorted().collect(Collectors.toList());
    refusedIps = List.copyOf(endpoint.refusedIps().keySet());
    metadata = new MetadataDto(endpoint.metadata());
    tenant = endpoint.tenant();
    attachment = endpoint.attachment().orElse(null);
    limitBitsPerSecond = Json.rateOrNull(endpoint.rateBitsPerSecond());
    limits = endpoint.limits().stream().map(LimitDto::new).collect(Collectors.toList());
    EndpointTraffic traffic = endpoint.traffic();
    deliveredBitsPerSecond = traffic.known() ? traffic.deliveredBitsPerSecond() : null;
    backlogBytes = traffic.known() ? traffic.backlogBytes() : null;
    droppedPackets = traffic.known() ? traffic.droppedPackets() : null;
    heldBack = traffic.heldBack();
  }

  /** What limits it at a congested port. */
  @JsonPropertyOrder({"port", "rateBitsPerSecond", "ceShare"})
  private static final class LimitDto {
    @JsonProperty final PortId port;
    @JsonProperty final long rateBitsPerSecond;
    @JsonProperty final BigDecimal ceShare;

    LimitDto(PortLimit limit) {
      port = limit.port();
      rateBitsPerSecond = limit.rateBitsPerSecond();
      ceShare = Json.rounded(limit.ceShare());
    }
  }
}

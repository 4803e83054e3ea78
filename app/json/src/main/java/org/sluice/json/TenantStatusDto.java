// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.Tenant;
import org.sluice.api.TenantRates;

/** The fields of a tenant in JSON, what it was promised beside what it gets, and what is amiss. */
@JsonPropertyOrder({
  "tenant",
  "promisedBitsPerSecond",
  "deliveredBitsPerSecond",
  "refusedIps",
  "scaledFloors"
})
public final class TenantStatusDto {
  @JsonUnwrapped final TenantDto tenant;
  @JsonProperty final long promisedBitsPerSecond;
  @JsonProperty final long deliveredBitsPerSecond;
  @JsonProperty final List<RefusedIpDto> refusedIps = new ArrayList<>();
  @JsonProperty final List<ScaledFloorDto> scaledFloors = new ArrayList<>();

  public TenantStatusDto(Tenant tenant, TenantRates rates) {
    this.tenant = new TenantDto(tenant);
    promisedBitsPerSecond = rates.promisedBitsPerSecond();
    deliveredBitsPerSecond = rates.deliveredBitsPerSecond();
    rates
        .refusedIps()
        .forEach(
            (endpoint, ips) -> ips.forEach(ip -> refusedIps.add(new RefusedIpDto(endpoint, ip))));
    rates.floorScales().forEach((port, scale) -> scaledFloors.add(new ScaledFloorDto(port, scale)));
  }

  /** An address that an endpoint claims and does not get. */
  @JsonPropertyOrder({"endpoint", "ip"})
  private static final class RefusedIpDto {
    @JsonProperty final EndpointId endpoint;
    @JsonProperty final IpAddress ip;

    RefusedIpDto(EndpointId endpoint, IpAddress ip) {
      this.endpoint = endpoint;
      this.ip = ip;
    }
  }

  /** A port where it has a part of its guarantee alone. */
  @JsonPropertyOrder({"port", "scale"})
  private static final class ScaledFloorDto {
    @JsonProperty final PortId port;
    @JsonProperty final BigDecimal scale;

    ScaledFloorDto(PortId port, double scale) {
      this.port = port;
      this.scale = Json.rounded(scale);
    }
  }
}

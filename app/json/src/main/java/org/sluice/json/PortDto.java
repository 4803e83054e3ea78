// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.math.BigDecimal;
import java.util.List;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.api.TenantId;
import org.sluice.api.counters.CounterSource;

/** The fields of a switch port in JSON. */
@JsonPropertyOrder({
  "id",
  "name",
  "capacityBitsPerSecond",
  "capacitySource",
  "congested",
  "estimated",
  "marksFrom",
  "ceShare",
  "loadBitsPerSecond",
  "unitShareBitsPerSecond",
  "activeEndpoints",
  "activeWeight",
  "floorScale",
  "scaledTenants",
  "countersFrom"
})
public final class PortDto {
  @JsonProperty final PortId id;
  @JsonProperty final String name;
  @JsonProperty final long capacityBitsPerSecond;
  @JsonProperty final PortStatus.CapacitySource capacitySource;
  @JsonProperty final boolean congested;
  @JsonProperty final boolean estimated;
  @JsonProperty final PortStatus.MarkSource marksFrom;
  @JsonProperty final BigDecimal ceShare;
  @JsonProperty final long loadBitsPerSecond;
  @JsonProperty final Long unitShareBitsPerSecond;
  @JsonProperty final int activeEndpoints;
  @JsonProperty final BigDecimal activeWeight;
  @JsonProperty final BigDecimal floorScale;
  @JsonProperty final List<TenantId> scaledTenants;
  @JsonProperty final CounterSource countersFrom;

  /**
   * A port as it is served.
   *
   * @param counters where the numbers of its switch come from
   */
  public PortDto(PortStatus port, CounterSource counters) {
    id = port.id();
    name = port.name().orElse(null);
    capacityBitsPerSecond = port.capacityBitsPerSecond();
    capacitySource = port.capacitySource();
    congested = port.congested();
    estimated = port.estimated();
    marksFrom = port.marksFrom().orElse(null);
    ceShare = Json.rounded(port.ceShare());
    loadBitsPerSecond = port.loadBitsPerSecond();
    unitShareBitsPerSecond = Json.rateOrNull(port.unitShareBitsPerSecond());
    activeEndpoints = port.activeEndpoints();
    activeWeight = Json.rounded(port.activeWeight());
    floorScale = Json.rounded(port.floorScale());
    scaledTenants = port.scaledTenants();
    countersFrom = counters;
  }
}

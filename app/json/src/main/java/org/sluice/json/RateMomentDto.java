// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.sluice.api.PortId;
import org.sluice.api.TenantId;
import org.sluice.api.access.Caller;
import org.sluice.api.history.PortMoment;
import org.sluice.api.history.RateMoment;

/** What tenants got at a moment, in JSON. */
@JsonPropertyOrder({"time", "tenants", "ports"})
public final class RateMomentDto {
  @JsonProperty final Instant time;
  @JsonProperty final List<TenantRateDto> tenants;
  @JsonProperty final List<PortMomentDto> ports;

  /** What a user sees of it: a tenant's its own, and no ports. */
  public RateMomentDto(RateMoment moment, Caller caller) {
    time = moment.time();
    tenants = rates(moment.deliveredBitsPerSecond(), Map.of(), caller);
    ports =
        caller.seesAll()
            ? moment.ports().stream()
                .map(port -> new PortMomentDto(port, caller))
                .collect(Collectors.toList())
            : List.of();
  }

  private static List<TenantRateDto> rates(
      Map<TenantId, Long> delivered, Map<TenantId, Long> due, Caller caller) {
    return delivered.keySet().stream()
        .filter(caller::sees)
        .sorted(Comparator.comparing(TenantId::name))
        .map(id -> new TenantRateDto(id, delivered.get(id), due.get(id)))
        .collect(Collectors.toList());
  }

  /** A congested port. */
  @JsonPropertyOrder({"port", "capacityBitsPerSecond", "loadBitsPerSecond", "tenants"})
  static final class PortMomentDto {
    @JsonProperty final PortId port;
    @JsonProperty final long capacityBitsPerSecond;
    @JsonProperty final long loadBitsPerSecond;
    @JsonProperty final List<TenantRateDto> tenants;

    PortMomentDto(PortMoment moment, Caller caller) {
      port = moment.port();
      capacityBitsPerSecond = moment.capacityBitsPerSecond();
      loadBitsPerSecond = moment.loadBitsPerSecond();
      tenants = rates(moment.deliveredBitsPerSecond(), moment.dueByWeightBitsPerSecond(), caller);
    }
  }

  /** A tenant, everywhere or at a port. */
  @JsonPropertyOrder({"tenant", "deliveredBitsPerSecond", "dueByWeightBitsPerSecond"})
  static final class TenantRateDto {
    @JsonProperty final TenantId tenant;
    @JsonProperty final long deliveredBitsPerSecond;

    /** Null: it has no share of its own there. */
    @JsonProperty final Long dueByWeightBitsPerSecond;

    TenantRateDto(TenantId tenant, long delivered, Long due) {
      this.tenant = tenant;
      deliveredBitsPerSecond = delivered;
      dueByWeightBitsPerSecond = due;
    }
  }
}

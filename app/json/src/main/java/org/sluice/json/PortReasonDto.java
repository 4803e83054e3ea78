// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.math.BigDecimal;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.sluice.api.EndpointId;
import org.sluice.api.MegabitRate;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.api.TenantId;
import org.sluice.api.why.PortReason;
import org.sluice.api.why.PortUserStatus;

/** What a congested port does to an endpoint, in JSON. */
@JsonPropertyOrder({
  "port",
  "portName",
  "capacityMbps",
  "loadMbps",
  "ceShare",
  "marksFrom",
  "estimated",
  "unitShareMbps",
  "binding",
  "limitMbps",
  "deliveredMbps",
  "dueMbps",
  "dueByWeightMbps",
  "dueOfTwiceTheWeightMbps",
  "users",
  "furtherUsers",
  "furtherMbps"
})
final class PortReasonDto {
  @JsonProperty final PortId port;
  @JsonProperty final String portName;
  @JsonProperty final BigDecimal capacityMbps;
  @JsonProperty final BigDecimal loadMbps;
  @JsonProperty final BigDecimal ceShare;
  @JsonProperty final PortStatus.MarkSource marksFrom;
  @JsonProperty final boolean estimated;
  @JsonProperty final BigDecimal unitShareMbps;
  @JsonProperty final boolean binding;
  @JsonProperty final BigDecimal limitMbps;
  @JsonProperty final BigDecimal deliveredMbps;
  @JsonProperty final BigDecimal dueMbps;
  @JsonProperty final BigDecimal dueByWeightMbps;
  @JsonProperty final BigDecimal dueOfTwiceTheWeightMbps;
  @JsonProperty final List<UserDto> users;
  @JsonProperty final Integer furtherUsers;
  @JsonProperty final BigDecimal furtherMbps;

  PortReasonDto(PortReason reason) {
    PortStatus status = reason.port();
    port = status.id();
    portName = status.name().orElse(null);
    capacityMbps = MegabitRate.fromBits(status.capacityBitsPerSecond());
    loadMbps = rateOrNull(reason.loadBitsPerSecond());
    ceShare = Json.rounded(status.ceShare());
    marksFrom = status.marksFrom().orElse(null);
    estimated = status.estimated();
    unitShareMbps = Json.rateOrNull(status.unitShareBitsPerSecond());
    binding = reason.binding();
    limitMbps = reason.limitBitsPerSecond().map(MegabitRate::fromBits).orElse(null);
    deliveredMbps = MegabitRate.fromBits(reason.deliveredBitsPerSecond());
    dueMbps = reason.dueBitsPerSecond().map(MegabitRate::fromBits).orElse(null);
    dueByWeightMbps = reason.dueByWeightBitsPerSecond().map(MegabitRate::fromBits).orElse(null);
    dueOfTwiceTheWeightMbps =
        reason.dueOfTwiceTheWeightBitsPerSecond().map(MegabitRate::fromBits).orElse(null);
    users = reason.users().stream().map(UserDto::new).collect(Collectors.toList());
    furtherUsers = reason.furtherUsers().isPresent() ? reason.furtherUsers().getAsInt() : null;
    furtherMbps = rateOrNull(reason.furtherBitsPerSecond());
  }

  private static BigDecimal rateOrNull(OptionalLong bitsPerSecond) {
    return bitsPerSecond.isPresent() ? MegabitRate.fromBits(bitsPerSecond.getAsLong()) : null;
  }

  /** One who sends through the port, too. */
  @JsonPropertyOrder({"endpoint", "tenant", "weight", "deliveredMbps"})
  private static final class UserDto {
    @JsonProperty final EndpointId endpoint;
    @JsonProperty final TenantId tenant;
    @JsonProperty final BigDecimal weight;
    @JsonProperty final BigDecimal deliveredMbps;

    UserDto(PortUserStatus user) {
      endpoint = user.endpoint();
      tenant = user.tenant();
      weight = Json.rounded(user.tenantWeight());
      deliveredMbps = MegabitRate.fromBits(user.deliveredBitsPerSecond());
    }
  }
}

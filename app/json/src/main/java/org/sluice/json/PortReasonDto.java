// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Collectors;
import org.sluice.api.EndpointId;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.api.TenantId;
import org.sluice.api.why.PortReason;
import org.sluice.api.why.PortUserStatus;

/** What a congested port does to an endpoint, in JSON. */
@JsonPropertyOrder({
  "port",
  "portName",
  "capacityBitsPerSecond",
  "loadBitsPerSecond",
  "ceShare",
  "marksFrom",
  "estimated",
  "unitShareBitsPerSecond",
  "binding",
  "limitBitsPerSecond",
  "deliveredBitsPerSecond",
  "dueBitsPerSecond",
  "dueByWeightBitsPerSecond",
  "dueOfTwiceTheWeightBitsPerSecond",
  "users",
  "furtherUsers",
  "furtherBitsPerSecond"
})
final class PortReasonDto {
  @JsonProperty final PortId port;
  @JsonProperty final String portName;
  @JsonProperty final long capacityBitsPerSecond;
  @JsonProperty final Long loadBitsPerSecond;
  @JsonProperty final BigDecimal ceShare;
  @JsonProperty final PortStatus.MarkSource marksFrom;
  @JsonProperty final boolean estimated;
  @JsonProperty final Long unitShareBitsPerSecond;
  @JsonProperty final boolean binding;
  @JsonProperty final Long limitBitsPerSecond;
  @JsonProperty final long deliveredBitsPerSecond;
  @JsonProperty final Long dueBitsPerSecond;
  @JsonProperty final Long dueByWeightBitsPerSecond;
  @JsonProperty final Long dueOfTwiceTheWeightBitsPerSecond;
  @JsonProperty final List<UserDto> users;
  @JsonProperty final Integer furtherUsers;
  @JsonProperty final Long furtherBitsPerSecond;

  PortReasonDto(PortReason reason) {
    PortStatus status = reason.port();
    port = status.id();
    portName = status.name().orElse(null);
    capacityBitsPerSecond = status.capacityBitsPerSecond();
    loadBitsPerSecond = Json.orNull(reason.loadBitsPerSecond());
    ceShare = Json.rounded(status.ceShare());
    marksFrom = status.marksFrom().orElse(null);
    estimated = status.estimated();
    unitShareBitsPerSecond = Json.rateOrNull(status.unitShareBitsPerSecond());
    binding = reason.binding();
    limitBitsPerSecond = reason.limitBitsPerSecond().orElse(null);
    deliveredBitsPerSecond = reason.deliveredBitsPerSecond();
    dueBitsPerSecond = reason.dueBitsPerSecond().orElse(null);
    dueByWeightBitsPerSecond = reason.dueByWeightBitsPerSecond().orElse(null);
    dueOfTwiceTheWeightBitsPerSecond = reason.dueOfTwiceTheWeightBitsPerSecond().orElse(null);
    users = reason.users().stream().map(UserDto::new).collect(Collectors.toList());
    furtherUsers = reason.furtherUsers().isPresent() ? reason.furtherUsers().getAsInt() : null;
    furtherBitsPerSecond = Json.orNull(reason.furtherBitsPerSecond());
  }

  /** One who sends through the port, too. */
  @JsonPropertyOrder({"endpoint", "tenant", "weight", "deliveredBitsPerSecond"})
  private static final class UserDto {
    @JsonProperty final EndpointId endpoint;
    @JsonProperty final TenantId tenant;
    @JsonProperty final BigDecimal weight;
    @JsonProperty final long deliveredBitsPerSecond;

    UserDto(PortUserStatus user) {
      endpoint = user.endpoint();
      tenant = user.tenant();
      weight = Json.rounded(user.tenantWeight());
      deliveredBitsPerSecond = user.deliveredBitsPerSecond();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.math.BigDecimal;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpPrefix;
import org.sluice.api.MacAddress;
import org.sluice.api.Member;

/**
 * The fields of a tenant's member in JSON: a prefix, a MAC address, or a host with interface; and
 * what its endpoints weigh. The weight is left out where it is the usual one, so that a release
 * which knows none can read what is stored.
 */
@JsonPropertyOrder({"ipPrefix", "mac", "host", "interface", "weight"})
@JsonInclude(JsonInclude.Include.NON_NULL)
final class MemberDto {
  @JsonProperty IpPrefix ipPrefix;
  @JsonProperty MacAddress mac;
  @JsonProperty HostId host;

  @JsonProperty("interface")
  String interfaceName;

  @JsonProperty BigDecimal weight;

  /** For one that is still to be read. */
  MemberDto() {}

  MemberDto(Member member) {
    ipPrefix = member.ipPrefix().orElse(null);
    mac = member.mac().orElse(null);
    host = member.endpoint().map(EndpointId::host).orElse(null);
    interfaceName = member.endpoint().map(EndpointId::interfaceName).orElse(null);
    weight = member.weight() == Member.DEFAULT_WEIGHT ? null : Json.plain(member.weight());
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.json;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpPrefix;
import org.sluice.api.MacAddress;
import org.sluice.api.Member;

/** The fields of a tenant's member in JSON: a prefix, a MAC address, or a host with interface. */
@JsonPropertyOrder({"ipPrefix", "mac", "host", "interface"})
@JsonInclude(JsonInclude.Include.NON_NULL)
final class MemberDto {
  @JsonProperty IpPrefix ipPrefix;
  @JsonProperty MacAddress mac;
  @JsonProperty HostId host;

  @JsonProperty("interface")
  String interfaceName;

  /** For one that is still to be read. */
  MemberDto() {}

  MemberDto(Member member) {
    ipPrefix = member.ipPrefix().orElse(null);
    mac = member.mac().orElse(null);
    host = member.endpoint().map(EndpointId::host).orElse(null);
    interfaceName = member.endpoint().map(EndpointId::interfaceName).orElse(null);
  }
}

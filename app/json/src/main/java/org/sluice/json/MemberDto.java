// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointMetadata;
import org.sluice.api.HostId;
import org.sluice.api.IpPrefix;
import org.sluice.api.MacAddress;
import org.sluice.api.Member;
import org.sluice.api.SluiceException;

/**
 * The fields of a tenant's member in JSON: a prefix, a MAC address, a host with interface, or what
 * hosts know of interfaces; and what its endpoints weigh. The weight is left out where it is the
 * usual one, so that a release which knows none can read what is stored.
 */
@JsonPropertyOrder({
  "ipPrefix",
  "mac",
  "host",
  "interface",
  "domain",
  "namespace",
  "labels",
  "network",
  "vlan",
  "bridge",
  "weight"
})
@JsonInclude(JsonInclude.Include.NON_NULL)
final class MemberDto {
  @JsonProperty IpPrefix ipPrefix;
  @JsonProperty MacAddress mac;
  @JsonProperty HostId host;

  @JsonProperty("interface")
  String interfaceName;

  @JsonProperty String domain;
  @JsonProperty String namespace;

  @JsonProperty
  @JsonSetter(contentNulls = Nulls.FAIL)
  Map<String, String> labels;

  @JsonProperty String network;
  @JsonProperty BigDecimal vlan;
  @JsonProperty String bridge;
  @JsonProperty BigDecimal weight;

  /** For one that is still to be read. */
  MemberDto() {}

  MemberDto(Member member) {
    ipPrefix = member.ipPrefix().orElse(null);
    mac = member.mac().orElse(null);
    host = member.endpoint().map(EndpointId::host).orElse(null);
    interfaceName = member.endpoint().map(EndpointId::interfaceName).orElse(null);
    EndpointMetadata asked = member.metadata().orElse(EndpointMetadata.NONE);
    domain = asked.domain().orElse(null);
    namespace = asked.namespace().orElse(null);
    labels = asked.labels().isEmpty() ? null : asked.labels();
    network = asked.network().orElse(null);
    vlan = asked.vlan().map(BigDecimal::valueOf).orElse(null);
    bridge = asked.bridge().orElse(null);
    weight = member.weight() == Member.DEFAULT_WEIGHT ? null : Json.plain(member.weight());
  }

  /**
   * What hosts are to know of an interface.
   *
   * @param path where it stands in the whole, with a dot at its end
   */
  EndpointMetadata metadata(String path) throws SluiceException {
    return EndpointMetadata.builder()
        .domain(Optional.ofNullable(domain))
        .namespace(Optional.ofNullable(namespace))
        .labels(labels == null ? Map.of() : labels)
        .network(Optional.ofNullable(network))
        .vlan(vlan(path))
        .bridge(Optional.ofNullable(bridge))
        .checked(path);
  }

  private Optional<Integer> vlan(String path) throws SluiceException {
    try {
      return Optional.ofNullable(vlan).map(BigDecimal::intValueExact);
    } catch (ArithmeticException e) {
      throw SluiceException.invalid(path + "vlan", vlan, "This is no VLAN", "Use a whole number");
    }
  }
}

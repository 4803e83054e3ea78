// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.Map;
import org.sluice.api.EndpointMetadata;

/**
 * The fields of what a host knows of an endpoint's interface in JSON; what is not there is left
 * out.
 */
@JsonPropertyOrder({"bridge", "vlan", "domain", "network", "namespace", "pod", "labels"})
@JsonInclude(JsonInclude.Include.NON_EMPTY)
final class MetadataDto {
  @JsonProperty final String bridge;
  @JsonProperty final Integer vlan;
  @JsonProperty final String domain;
  @JsonProperty final String network;
  @JsonProperty final String namespace;
  @JsonProperty final String pod;
  @JsonProperty final Map<String, String> labels;

  MetadataDto(EndpointMetadata metadata) {
    bridge = metadata.bridge().orElse(null);
    vlan = metadata.vlan().orElse(null);
    domain = metadata.domain().orElse(null);
    network = metadata.network().orElse(null);
    namespace = metadata.namespace().orElse(null);
    pod = metadata.pod().orElse(null);
    labels = metadata.labels();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.math.BigDecimal;
import org.sluice.api.PortId;
import org.sluice.api.queue.ActiveCap;

/** A cap in force, in JSON. */
@JsonPropertyOrder({
  "upstream",
  "downstream",
  "capBitsPerSecond",
  "enforcer",
  "queuePackets",
  "thresholdPackets",
  "alpha",
  "beta",
  "floorBitsPerSecond",
  "flows",
  "endsInMillis"
})
public final class CapDto {
  @JsonProperty final PortId upstream;
  @JsonProperty final PortId downstream;
  @JsonProperty final long capBitsPerSecond;
  @JsonProperty final ActiveCap.Enforcer enforcer;
  @JsonProperty final int queuePackets;
  @JsonProperty final int thresholdPackets;
  @JsonProperty final BigDecimal alpha;
  @JsonProperty final BigDecimal beta;
  @JsonProperty final Long floorBitsPerSecond;
  @JsonProperty final int flows;
  @JsonProperty final long endsInMillis;

  public CapDto(ActiveCap cap) {
    upstream = cap.upstream();
    downstream = cap.downstream();
    capBitsPerSecond = cap.bitsPerSecond();
    enforcer = cap.enforcer();
    queuePackets = cap.queuePackets();
    thresholdPackets = cap.thresholdPackets();
    alpha = Json.rounded(cap.alpha());
    beta = Json.rounded(cap.beta());
    floorBitsPerSecond = Json.rateOrNull(cap.floorBitsPerSecond());
    flows = cap.flows();
    endsInMillis = cap.endsInMillis();
  }
}

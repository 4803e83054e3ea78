// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Collectors;
import org.sluice.api.MilliTime;
import org.sluice.api.PortId;
import org.sluice.api.why.FlowExplanation;
import org.sluice.api.why.FlowPort;

/** How a flow with a deadline fares, and why, in JSON. */
@JsonPropertyOrder({
  "flow",
  "cause",
  "summary",
  "lines",
  "neededBitsPerSecond",
  "windowBytes",
  "earliestMillis",
  "ports",
  "journal"
})
public final class FlowExplanationDto {
  @JsonProperty final FlowDto flow;
  @JsonProperty final String cause;
  @JsonProperty final String summary;
  @JsonProperty final List<String> lines;
  @JsonProperty final long neededBitsPerSecond;
  @JsonProperty final Long windowBytes;
  @JsonProperty final BigDecimal earliestMillis;
  @JsonProperty final List<PlaceDto> ports;
  @JsonProperty final List<JournalEntryDto> journal;

  public FlowExplanationDto(FlowExplanation why) {
    flow = new FlowDto(why.flow());
    cause = why.cause().text();
    summary = why.summary();
    lines = why.lines();
    neededBitsPerSecond = why.neededBitsPerSecond();
    windowBytes = Json.orNull(why.windowBytes());
    earliestMillis =
        why.earliestNanos().isPresent()
            ? MilliTime.fromNanos(why.earliestNanos().getAsLong())
            : null;
    ports = why.ports().stream().map(PlaceDto::new).collect(Collectors.toList());
    journal = why.journal().stream().map(JournalEntryDto::new).collect(Collectors.toList());
  }

  /** A place on its path. */
  @JsonPropertyOrder({
    "kind",
    "port",
    "portName",
    "capacityBitsPerSecond",
    "promisableBitsPerSecond",
    "flowsBefore",
    "bytesBefore",
    "totalWindowBytes"
  })
  private static final class PlaceDto {
    @JsonProperty final String kind;
    @JsonProperty final PortId port;
    @JsonProperty final String portName;
    @JsonProperty final long capacityBitsPerSecond;
    @JsonProperty final Long promisableBitsPerSecond;
    @JsonProperty final Integer flowsBefore;
    @JsonProperty final Long bytesBefore;
    @JsonProperty final Long totalWindowBytes;

    PlaceDto(FlowPort place) {
      kind = place.kind().text();
      port = place.port().orElse(null);
      portName = place.portName().orElse(null);
      capacityBitsPerSecond = place.capacityBitsPerSecond();
      promisableBitsPerSecond = Json.orNull(place.promisableBitsPerSecond());
      flowsBefore = place.flowsBefore().isPresent() ? place.flowsBefore().getAsInt() : null;
      bytesBefore = Json.orNull(place.bytesBefore());
      totalWindowBytes = Json.orNull(place.totalWindowBytes());
    }
  }
}

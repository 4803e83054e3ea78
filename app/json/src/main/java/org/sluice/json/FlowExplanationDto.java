// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.math.BigDecimal;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.sluice.api.MegabitRate;
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
  "neededMbps",
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
  @JsonProperty final BigDecimal neededMbps;
  @JsonProperty final Long windowBytes;
  @JsonProperty final BigDecimal earliestMillis;
  @JsonProperty final List<PlaceDto> ports;
  @JsonProperty final List<JournalEntryDto> journal;

  public FlowExplanationDto(FlowExplanation why) {
    flow = new FlowDto(why.flow());
    cause = why.cause().text();
    summary = why.summary();
    lines = why.lines();
    neededMbps = MegabitRate.fromBits(why.neededBitsPerSecond());
    windowBytes = orNull(why.windowBytes());
    earliestMillis =
        why.earliestNanos().isPresent()
            ? MilliTime.fromNanos(why.earliestNanos().getAsLong())
            : null;
    ports = why.ports().stream().map(PlaceDto::new).collect(Collectors.toList());
    journal = why.journal().stream().map(JournalEntryDto::new).collect(Collectors.toList());
  }

  private static Long orNull(OptionalLong value) {
    return value.isPresent() ? value.getAsLong() : null;
  }

  /** A place on its path. */
  @JsonPropertyOrder({
    "kind",
    "port",
    "portName",
    "capacityMbps",
    "promisableMbps",
    "flowsBefore",
    "bytesBefore",
    "totalWindowBytes"
  })
  private static final class PlaceDto {
    @JsonProperty final String kind;
    @JsonProperty final PortId port;
    @JsonProperty final String portName;
    @JsonProperty final BigDecimal capacityMbps;
    @JsonProperty final BigDecimal promisableMbps;
    @JsonProperty final Integer flowsBefore;
    @JsonProperty final Long bytesBefore;
    @JsonProperty final Long totalWindowBytes;

    PlaceDto(FlowPort place) {
      kind = place.kind().text();
      port = place.port().orElse(null);
      portName = place.portName().orElse(null);
      capacityMbps = MegabitRate.fromBits(place.capacityBitsPerSecond());
      promisableMbps =
          place.promisableBitsPerSecond().isPresent()
              ? MegabitRate.fromBits(place.promisableBitsPerSecond().getAsLong())
              : null;
      flowsBefore = place.flowsBefore().isPresent() ? place.flowsBefore().getAsInt() : null;
      bytesBefore = orNull(place.bytesBefore());
      totalWindowBytes = orNull(place.totalWindowBytes());
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.sluice.api.PortId;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.DeadlineSummary;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.LossCounts;

/** The fields of a summary of deadlines in JSON. */
@JsonPropertyOrder({"tenants", "congestedPorts", "seenBySwitches", "losses"})
public final class DeadlinesDto {
  @JsonProperty final List<CountsDto> tenants;
  @JsonProperty final List<CongestedPortDto> congestedPorts;
  @JsonProperty final SeenDto seenBySwitches;
  @JsonProperty final LossesDto losses;

  public DeadlinesDto(DeadlineSummary summary) {
    tenants =
        new TreeMap<>(summary.counts())
            .entrySet().stream()
                .map(counts -> new CountsDto(counts.getKey(), counts.getValue()))
                .collect(Collectors.toList());
    congestedPorts =
        summary.congestedPorts().stream().map(CongestedPortDto::new).collect(Collectors.toList());
    seenBySwitches = new SeenDto(summary);
    losses = new LossesDto(summary.losses());
  }

  /** A tenant's registrations by state; every state is there. */
  private static final class CountsDto {
    @JsonProperty final TenantId tenant;
    private final Map<String, Long> byState = new LinkedHashMap<>();

    CountsDto(TenantId tenant, Map<FlowState, Long> counts) {
      this.tenant = tenant;
      for (FlowState state : FlowState.values()) {
        byState.put(state.text(), counts.getOrDefault(state, 0L));
      }
    }

    @JsonAnyGetter
    Map<String, Long> byState() {
      return byState;
    }
  }

  @JsonPropertyOrder({"port", "totalWindowBytes"})
  private static final class CongestedPortDto {
    @JsonProperty final PortId port;
    @JsonProperty final long totalWindowBytes;

    CongestedPortDto(DeadlineSummary.CongestedPort congested) {
      port = congested.port();
      totalWindowBytes = congested.totalWindowBytes();
    }
  }

  /** Connections of registered flows that switches reported. */
  @JsonPropertyOrder({"beginnings", "ends"})
  private static final class SeenDto {
    @JsonProperty final long beginnings;
    @JsonProperty final long ends;

    SeenDto(DeadlineSummary summary) {
      beginnings = summary.beginningsSeen();
      ends = summary.endsSeen();
    }
  }

  /** Packets that ports lost, and what was done about them. */
  @JsonPropertyOrder({"reported", "duplicates", "resends", "packetOuts"})
  private static final class LossesDto {
    @JsonProperty final long reported;
    @JsonProperty final long duplicates;
    @JsonProperty final long resends;
    @JsonProperty final long packetOuts;

    LossesDto(LossCounts counts) {
      reported = counts.reported();
      duplicates = counts.duplicates();
      resends = counts.resends();
      packetOuts = counts.packetOuts();
    }
  }
}

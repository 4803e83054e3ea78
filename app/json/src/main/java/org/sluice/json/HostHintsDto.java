// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;
import java.util.stream.Collectors;
import org.sluice.api.HostId;
import org.sluice.api.IpPrefix;
import org.sluice.api.policy.AppliedHint;
import org.sluice.api.policy.HostHints;
import org.sluice.api.policy.PrefixHint;

/** The hints that a host was sent, and what it made of them, in JSON. */
@JsonPropertyOrder({
  "host",
  "group",
  "revision",
  "state",
  "sent",
  "leftOutGroups",
  "applied",
  "refused"
})
public final class HostHintsDto {
  @JsonProperty final HostId host;
  @JsonProperty final String group;
  @JsonProperty final long revision;
  @JsonProperty final HostHints.State state;
  @JsonProperty final List<SentDto> sent;
  @JsonProperty final int leftOutGroups;
  @JsonProperty final List<AppliedDto> applied;
  @JsonProperty final List<String> refused;

  public HostHintsDto(HostHints hints) {
    host = hints.host();
    group = hints.group();
    revision = hints.revision();
    state = hints.state();
    sent = hints.hints().stream().map(SentDto::new).collect(Collectors.toList());
    leftOutGroups = hints.leftOutGroups();
    applied = hints.applied().stream().map(AppliedDto::new).collect(Collectors.toList());
    refused = hints.refused();
  }

  @JsonPropertyOrder({"destinations", "hints"})
  private static final class SentDto {
    @JsonProperty final List<IpPrefix> destinations;
    @JsonProperty final PolicySetDto.HintDto hints;

    SentDto(PrefixHint hint) {
      destinations = hint.destinations();
      hints = new PolicySetDto.HintDto(hint.hint());
    }
  }

  @JsonPropertyOrder({"hints", "routes", "controlGroups"})
  private static final class AppliedDto {
    @JsonProperty final PolicySetDto.HintDto hints;
    @JsonProperty final int routes;
    @JsonProperty final int controlGroups;

    AppliedDto(AppliedHint hint) {
      hints = new PolicySetDto.HintDto(hint.hint());
      routes = hint.routes();
      controlGroups = hint.controlGroups();
    }
  }
}

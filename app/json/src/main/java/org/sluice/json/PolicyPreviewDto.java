// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Collectors;
import org.sluice.api.PortId;
import org.sluice.api.policy.GroupHint;
import org.sluice.api.policy.PolicyDecision;
import org.sluice.api.policy.PolicyFinding;
import org.sluice.api.policy.PolicyPreview;

/** What a policy set would do, in JSON. */
@JsonPropertyOrder({"findings", "decisions", "hints"})
public final class PolicyPreviewDto {
  private static final double PERCENT = 100;

  @JsonProperty final List<PolicyFindingDto> findings;
  @JsonProperty final List<DecisionDto> decisions;
  @JsonProperty final List<GroupHintDto> hints;

  public PolicyPreviewDto(List<PolicyFinding> findings, PolicyPreview preview) {
    this.findings = findings.stream().map(PolicyFindingDto::new).collect(Collectors.toList());
    decisions = decisions(preview);
    hints = hints(preview);
  }

  static List<DecisionDto> decisions(PolicyPreview preview) {
    return preview.decisions().stream().map(DecisionDto::new).collect(Collectors.toList());
  }

  static List<GroupHintDto> hints(PolicyPreview preview) {
    return preview.hints().stream().map(GroupHintDto::new).collect(Collectors.toList());
  }

  /** A decision and its evidence. */
  @JsonPropertyOrder({
    "policy",
    "from",
    "to",
    "active",
    "reason",
    "cycles",
    "utilisationPercent",
    "dropPercent",
    "fullestLink"
  })
  static final class DecisionDto {
    @JsonProperty final String policy;
    @JsonProperty final String from;
    @JsonProperty final String to;
    @JsonProperty final boolean active;
    @JsonProperty final PolicyDecision.Reason reason;
    @JsonProperty final int cycles;
    @JsonProperty final BigDecimal utilisationPercent;
    @JsonProperty final BigDecimal dropPercent;
    @JsonProperty final PortId fullestLink;

    DecisionDto(PolicyDecision decision) {
      policy = decision.policy();
      from = nameOrNull(decision.source());
      to = nameOrNull(decision.destination());
      active = decision.isActive();
      reason = decision.reason();
      cycles = decision.cycles();
      utilisationPercent = percentOrNull(decision.utilisation());
      dropPercent = percentOrNull(decision.dropRate());
      fullestLink = decision.fullestLink().orElse(null);
    }

    private static BigDecimal percentOrNull(double fraction) {
      return Double.isNaN(fraction) ? null : Json.rounded(PERCENT * fraction);
    }
  }

  /** A hint, who gets it, and towards whom. */
  @JsonPropertyOrder({"from", "to", "hints"})
  static final class GroupHintDto {
    @JsonProperty final String from;
    @JsonProperty final String to;
    @JsonProperty final PolicySetDto.HintDto hints;

    GroupHintDto(GroupHint hint) {
      from = hint.source();
      to = nameOrNull(hint.destination());
      hints = new PolicySetDto.HintDto(hint.hint());
    }
  }

  /** An empty name stands for all. */
  private static String nameOrNull(String group) {
    return group.isEmpty() ? null : group;
  }
}

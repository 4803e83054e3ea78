// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.PolicyPreview;
import org.sluice.api.policy.PolicyService;

/** What is in force and what it does, in JSON. */
@JsonPropertyOrder({"current", "evaluatedHere", "fault", "decisions", "hints"})
public final class PolicyStateDto {
  private static final PolicyPreview NOTHING = PolicyPreview.of(List.of(), List.of());

  @JsonProperty final PolicyRevisionDto current;
  @JsonProperty final boolean evaluatedHere;
  @JsonProperty final PolicyFindingDto fault;
  @JsonProperty final List<PolicyPreviewDto.DecisionDto> decisions;
  @JsonProperty final List<PolicyPreviewDto.GroupHintDto> hints;

  /**
   * As it is now.
   *
   * @throws SluiceException UNAVAILABLE if the controller is too busy to answer
   */
  public PolicyStateDto(PolicyService policies) throws SluiceException {
    current = policies.current().map(PolicyRevisionDto::new).orElse(null);
    evaluatedHere = policies.isEvaluating();
    fault = policies.fault().map(PolicyFindingDto::new).orElse(null);
    PolicyPreview state = policies.state().orElse(NOTHING);
    decisions = PolicyPreviewDto.decisions(state);
    hints = PolicyPreviewDto.hints(state);
  }
}

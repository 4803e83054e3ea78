// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.json;

import org.sluice.api.why.Explanation;
import org.sluice.api.why.ExplanationFormat;
import org.sluice.api.why.FlowExplanation;

/** Explanations in the JSON that REST serves, for the shell. */
public final class ExplanationText implements ExplanationFormat {

  @Override
  public String write(Explanation explanation) {
    return Json.text(new ExplanationDto(explanation));
  }

  @Override
  public String write(FlowExplanation explanation) {
    return Json.text(new FlowExplanationDto(explanation));
  }
}

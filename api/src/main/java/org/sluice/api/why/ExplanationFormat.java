// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.why;

/** The JSON form of explanations, for those who have no writer of their own. */
public interface ExplanationFormat {

  /** An explanation with all of its fields, as one object, as REST serves it. */
  String write(Explanation explanation);

  /** The same for a flow with a deadline. */
  String write(FlowExplanation explanation);
}

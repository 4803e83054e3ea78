// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.why;

import org.sluice.api.Endpoint;
import org.sluice.api.SluiceException;
import org.sluice.api.access.Caller;
import org.sluice.api.deadline.FlowStatus;

/** Explains what endpoints get, and how flows with deadlines fare. */
public interface ExplanationService {

  /**
   * Why an endpoint gets no more than it does, as this node sees it: what ports of other nodes'
   * switches decide is not known here beyond the limits that the endpoint's host reports.
   *
   * @param caller the requester: others' endpoints are counted, and not named, where that user may
   *     not see them
   * @throws SluiceException of kind UNAVAILABLE while the engine does not answer
   */
  Explanation why(Endpoint endpoint, Caller caller) throws SluiceException;

  /**
   * How a flow with a deadline fares, and why, as this node sees it.
   *
   * @param caller the requester: others' flows are counted, and not named
   * @throws SluiceException of kind UNAVAILABLE while the engine does not answer
   */
  FlowExplanation why(FlowStatus flow, Caller caller) throws SluiceException;
}

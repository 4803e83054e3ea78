// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import org.sluice.api.link.LossAnswer;
import org.sluice.api.link.Resend;

/** Takes RSED's decisions to hosts and ports. Called within {@link LossAnswers#tick}. */
public interface LossSink {

  /** The host of the flow's source is to send it duplicate acknowledgements for the loss. */
  void answer(LossAnswer answer);

  /** The agent of the port that lost a packet is to send the copy that it kept. */
  void resend(Resend resend);
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.deadline;

import java.util.List;
import java.util.Optional;
import org.sluice.api.SluiceException;

/** Reads registrations of flows with deadlines. */
public interface FlowService {

  /**
   * All registrations that have not ended, and the latest 10,000 that this node saw end; by id.
   *
   * @throws SluiceException UNAVAILABLE if the controller is too busy to answer
   */
  List<FlowStatus> flows() throws SluiceException;

  /**
   * One of them.
   *
   * @throws SluiceException UNAVAILABLE if the controller is too busy to answer
   */
  Optional<FlowStatus> flow(long id) throws SluiceException;

  /**
   * How deadlines fare.
   *
   * @throws SluiceException UNAVAILABLE if the controller is too busy to answer
   */
  DeadlineSummary deadlines() throws SluiceException;
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.agent;

import org.sluice.api.link.DownlinkMessage;

/** What an agent does for one system; what does not concern it passes. */
public interface AgentFunction {
  /** A session with the controller begins: the agent has said hello. */
  default void sessionBegan() {}

  /** The session is over. */
  default void sessionEnded() {}

  /** A message of the controller has arrived, perhaps one for another function. */
  void received(DownlinkMessage message);

  /** The agent dies: what is in the data path stays for a lease. */
  default void killed() {}

  /** A dead agent starts again: it goes on with what is in the data path. */
  default void started() {}

  /** The agent stops: what it has put into the data path goes. */
  default void stopped() {}
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import java.util.Set;
import org.sluice.api.HostId;

/** The controller's side of the link to the hosts' agents. */
public interface AgentLink {

  /** Hosts with an open session. */
  Set<HostId> connectedHosts();

  /**
   * Sends a message to a host and returns at once. What a host cannot take in time is dropped
   * oldest first and counted; a message for a host without a session is discarded.
   *
   * @param term grows whenever this controller node newly takes over the leadership in whose name
   *     it decides; agents refuse what is older than what they hold
   */
  void send(HostId host, long term, DownlinkMessage message);

  /** Registers for what hosts report; sessions that are open are reported to it at once. */
  void addListener(AgentLinkListener listener);

  void removeListener(AgentLinkListener listener);
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import org.sluice.api.HostId;

/**
 * Hears what hosts say. Called from the link's threads, in order per host: implementations hand the
 * immutable argument on and return at once.
 */
public interface AgentLinkListener {

  /** A host's agent opened a session, or opened a new one instead of an old one. */
  void connected(HostHello hello);

  void observed(HostObservation observation);

  /** What the queues of a port agent did. */
  default void queued(PortQueueObservation observation) {}

  void happened(HostEvent event);

  /** What became of the TCP flows of a host's endpoints. */
  default void flowsReported(FlowReport report) {}

  /** An application on a host asks; the answer goes back by {@link AgentLink#sendFlowAnswer}. */
  default void flowRequested(FlowRequest request) {}

  /** A port agent's queues had no room for these. */
  default void lost(LossReport report) {}

  /** The session ended. */
  void disconnected(HostId host);

  /**
   * An agent was turned away, or something it said was not accepted. Told at a limited rate; the
   * link's counters hold them all.
   *
   * @param who the host as its certificate names it, else its address
   * @param reason what was refused and why, in a sentence
   */
  default void refused(String who, String reason) {}
}

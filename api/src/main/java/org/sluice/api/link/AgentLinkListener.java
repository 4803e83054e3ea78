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

  void happened(HostEvent event);

  /** The session ended. */
  void disconnected(HostId host);
}

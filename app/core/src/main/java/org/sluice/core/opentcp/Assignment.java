// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import java.util.Map;
import org.sluice.api.HostId;
import org.sluice.api.policy.PolicySet;

/** What this node is to evaluate while it leads, and to whom hints go. Immutable. */
final class Assignment {
  final long term;

  /** Of the policies' history. */
  final long revision;

  final PolicySet set;
  final PolicyNetwork network;

  /** Connected hosts, each with the number of its session. */
  final Map<HostId, Long> sessions;

  Assignment(
      long term, long revision, PolicySet set, PolicyNetwork network, Map<HostId, Long> sessions) {
    this.term = term;
    this.revision = revision;
    this.set = set;
    this.network = network;
    this.sessions = Map.copyOf(sessions);
  }

  boolean isSame(Assignment other) {
    return other != null
        && term == other.term
        && revision == other.revision
        && sessions.equals(other.sessions)
        && network.isSameTopology(other.network)
        && network.hasSameHosts(other.network);
  }
}

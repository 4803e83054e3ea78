// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.agent;

import java.util.List;
import org.sluice.api.link.TcpHints;
import org.sluice.api.policy.PrefixHint;

/** Watches what hosts are hinted, and what they make of it. */
public interface HintListener {
  /** A host has received a set. */
  void received(TcpHints hints);

  /** Other hints are in force on a host; as its kernel has them. */
  void changed(List<PrefixHint> before, List<PrefixHint> now);
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import org.sluice.onos.topology.Epoch;

/** Whether anybody wants to know of flows. */
public interface FlowDemand {

  /** Advances whenever {@link #isWanted} may answer otherwise. */
  Epoch epoch();

  /** Whether hosts are to tell of their flows, since somebody has a deadline. */
  boolean isWanted();
}

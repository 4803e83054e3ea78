// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.List;
import java.util.Optional;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;

/** Knows the ways of flows. */
public interface FlowWays {

  /** The ports on a flow's way, each known to {@link Deadlines}; empty if the way is not known. */
  Optional<List<PortId>> path(FlowKey flow);
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.List;
import java.util.Optional;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;

/** Knows the paths of flows. */
public interface FlowPathOracle {

  /** The ports on a flow's path, each known to {@link Deadlines}; empty if it is not known. */
  Optional<List<PortId>> path(FlowKey flow);
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.Set;
import org.sluice.api.deadline.FlowKey;
import org.sluice.core.spi.Epoch;

/** Registrations as needed by what has switches report their connections. */
public interface RegisteredFlows {

  /** Advances whenever {@link #registered} has changed. */
  Epoch registrations();

  /** What is registered and has not ended; a copy. */
  Set<FlowKey> registered();

  /** A switch has seen what begins a connection leave its source. */
  void connectionBegan(FlowKey connection);

  /** A switch has seen what ends a connection leave its source. */
  void connectionEnded(FlowKey connection);
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import java.util.Optional;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.engine.Engine;
import org.sluice.engine.path.Path;

/**
 * The engine's thread as its part for deadlines sees it. But for {@link #wake}, for that thread.
 */
public interface EngineSide {

  Engine engine();

  /** The egress ports between an endpoint and an address, if they are known. */
  Optional<Path> path(EndpointId source, IpAddress destination);

  /** Grows whenever {@link #path} may answer otherwise. */
  long waysEpoch();

  /** Grows whenever {@link #decidesAbout} may answer otherwise. */
  long authorityEpoch();

  /** Whether this node decides about a port. */
  boolean decidesAbout(PortId port);

  /** Has the thread look at {@link DeadlineDuty#isUrgent} soon. From any thread. */
  void wake();
}

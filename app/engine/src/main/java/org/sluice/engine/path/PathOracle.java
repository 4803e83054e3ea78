// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.path;

import java.util.Optional;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;

/**
 * Which switch ports traffic crosses. Called on the engine thread; answers are cached until the
 * epoch changes.
 */
public interface PathOracle {

  /**
   * Grows whenever an answer may have changed: a link or switch came or went, an endpoint was
   * attached or moved; not when an endpoint has other addresses, of which the engine is notified.
   * Read once per tick; must be cheap.
   */
  long epoch();

  /**
   * The egress ports that traffic from the endpoint to the destination crosses; empty if not known
   * (yet).
   *
   * <p>Called once per pair and epoch. Answers that are equal should be the same object where that
   * is easy: it saves memory.
   */
  Optional<Path> path(EndpointId source, IpAddress destination);
}

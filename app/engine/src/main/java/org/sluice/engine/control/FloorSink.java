// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import org.sluice.api.EndpointId;

/** Takes what endpoints must be let through at a port. */
public interface FloorSink {

  /**
   * An endpoint's floor: by its own guarantee, by its tenant's, and by promised deadlines.
   *
   * @param bitsPerSecond above 0
   */
  void floor(EndpointId endpoint, double bitsPerSecond);
}

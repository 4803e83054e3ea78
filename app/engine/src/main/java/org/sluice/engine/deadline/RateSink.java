// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;

/** Takes what promised flows must be let through. */
public interface RateSink {

  /**
   * A flow's rate at a port on its path.
   *
   * @param bytesPerSecond of payload, above 0
   */
  void rate(FlowKey connection, PortId port, double bytesPerSecond);
}

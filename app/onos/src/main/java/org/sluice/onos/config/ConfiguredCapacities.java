// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.config;

import java.util.Map;
import org.sluice.api.PortId;
import org.sluice.onos.topology.Epoch;

/** Port capacities that an operator configured. */
public interface ConfiguredCapacities {

  /** Advances whenever one changed. */
  Epoch epoch();

  /** Bit/s by port. */
  Map<PortId, Long> capacitiesBitsPerSecond();
}

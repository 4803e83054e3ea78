// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

import java.util.List;
import java.util.Map;
import org.sluice.api.PortId;
import org.sluice.api.Tenant;

/** What an operator wrote into the platform's own configuration beside Sluice's settings. */
public interface OperatorConfiguration {

  /** Advances whenever a capacity or the inventory changed. */
  Epoch epoch();

  /** Capacities of ports, bit/s. */
  Map<PortId, Long> capacitiesBitsPerSecond();

  /** Whose addresses are, as far as an operator wrote it down. */
  Inventory inventory();

  /** Advances whenever an operator wrote the configuration, changed or not. */
  Epoch tenantsEpoch();

  /** Tenants that hold until somebody changes them. */
  List<Tenant> tenants();
}

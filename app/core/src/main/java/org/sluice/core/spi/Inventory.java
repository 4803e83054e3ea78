// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

import com.google.auto.value.AutoValue;
import java.util.Map;
import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;

/** What an operator wrote down about whose addresses are. Immutable. */
@AutoValue
public abstract class Inventory {
  /** Nothing is written down. */
  public static final Inventory EMPTY = of(Set.of(), Map.of(), Map.of());

  public static Inventory of(
      Set<IpAddress> gateways,
      Map<IpAddress, EndpointId> endpoints,
      Map<IpAddress, MacAddress> macs) {
    return new AutoValue_Inventory(Set.copyOf(gateways), Map.copyOf(endpoints), Map.copyOf(macs));
  }

  /** Addresses of routers, which no endpoint may have. */
  public abstract Set<IpAddress> gateways();

  /** Addresses that one endpoint may have and no other. */
  public abstract Map<IpAddress, EndpointId> endpoints();

  /** Addresses that endpoints with one MAC address may have and no other. */
  public abstract Map<IpAddress, MacAddress> macs();
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import com.google.auto.value.AutoValue;
import java.util.Optional;
import java.util.Set;

/** One virtual NIC, as its host's agent reported it. */
@AutoValue
public abstract class Endpoint {

  public static Endpoint of(
      EndpointId id,
      MacAddress mac,
      Set<IpAddress> ips,
      TenantId tenant,
      Optional<PortId> attachment,
      long rateBitsPerSecond) {
    return new AutoValue_Endpoint(id, mac, Set.copyOf(ips), tenant, attachment, rateBitsPerSecond);
  }

  public abstract EndpointId id();

  public abstract MacAddress mac();

  public abstract Set<IpAddress> ips();

  public abstract TenantId tenant();

  /** The edge port behind which it is, once known. */
  public abstract Optional<PortId> attachment();

  /** The limit now in force, bit/s; 0 is none. */
  public abstract long rateBitsPerSecond();
}

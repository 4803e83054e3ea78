// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import com.google.auto.value.AutoValue;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** One virtual NIC, as its host's agent reported it. */
@AutoValue
public abstract class Endpoint {

  /** One that no congested port limits, and that sends nothing. */
  public static Endpoint of(
      EndpointId id,
      MacAddress mac,
      Set<IpAddress> ips,
      TenantId tenant,
      Optional<PortId> attachment,
      long rateBitsPerSecond) {
    return of(id, mac, ips, tenant, attachment, rateBitsPerSecond, List.of());
  }

  /** One that sends nothing. */
  public static Endpoint of(
      EndpointId id,
      MacAddress mac,
      Set<IpAddress> ips,
      TenantId tenant,
      Optional<PortId> attachment,
      long rateBitsPerSecond,
      List<PortLimit> limits) {
    return of(id, mac, ips, tenant, attachment, rateBitsPerSecond, limits, EndpointTraffic.NONE);
  }

  public static Endpoint of(
      EndpointId id,
      MacAddress mac,
      Set<IpAddress> ips,
      TenantId tenant,
      Optional<PortId> attachment,
      long rateBitsPerSecond,
      List<PortLimit> limits,
      EndpointTraffic traffic) {
    return new AutoValue_Endpoint(
        id,
        mac,
        Set.copyOf(ips),
        tenant,
        attachment,
        rateBitsPerSecond,
        List.copyOf(limits),
        traffic,
        Map.of(),
        EndpointMetadata.NONE);
  }

  /** The same, of which its host knows this. */
  public Endpoint withMetadata(EndpointMetadata metadata) {
    return with(refusedIps(), metadata);
  }

  /** The same, with addresses that it claims and does not get. */
  public Endpoint withRefusedIps(Map<IpAddress, String> refused) {
    return with(Collections.unmodifiableMap(new TreeMap<>(refused)), metadata());
  }

  private Endpoint with(Map<IpAddress, String> refused, EndpointMetadata metadata) {
    return new AutoValue_Endpoint(
        id(),
        mac(),
        ips(),
        tenant(),
        attachment(),
        rateBitsPerSecond(),
        limits(),
        traffic(),
        refused,
        metadata);
  }

  public abstract EndpointId id();

  public abstract MacAddress mac();

  public abstract Set<IpAddress> ips();

  public abstract TenantId tenant();

  /** The edge port behind which it is, once known. */
  public abstract Optional<PortId> attachment();

  /** The limit now in force on all that it sends, bit/s; 0 is none. */
  public abstract long rateBitsPerSecond();

  /** The limits now in force towards what lies behind congested ports, the lowest first. */
  public abstract List<PortLimit> limits();

  public abstract EndpointTraffic traffic();

  /**
   * Addresses that it claims and does not get, each with the reason in words, which may name
   * others.
   */
  public abstract Map<IpAddress, String> refusedIps();

  /** What its host knows of its interface. */
  public abstract EndpointMetadata metadata();
}

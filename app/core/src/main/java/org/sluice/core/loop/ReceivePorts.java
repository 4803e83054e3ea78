// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.loop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus.CapacitySource;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.link.UplinkHandler;
import org.sluice.core.registry.Capacities.Capacity;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.tenant.TenantDirectory;
import org.sluice.engine.law.ReceiveCeiling;

/**
 * The receive ports that there are: of uplinks and of endpoints with a receive ceiling. Every path
 * to such an endpoint ends with them. Engine thread only, but for what the link calls.
 */
public final class ReceivePorts implements UplinkHandler {
  private final AgentLink link;
  private final ReportedEndpoints endpoints;
  private final TenantDirectory tenants;
  private final boolean receiversMark;
  private final Map<HostId, Receiver> uplinks = new ConcurrentHashMap<>();

  private long endpointsEpoch = -1;
  private long tenantsEpoch = -1;
  private long version;
  private final Map<EndpointId, Entry> entries = new HashMap<>();
  private final Map<IpAddress, List<PortId>> byAddress = new HashMap<>();
  private final Map<PortId, Capacity> capacities = new HashMap<>();

  /** By port: behind how many endpoints' entries it is. */
  private final Map<PortId, Integer> users = new HashMap<>();

  /** A port and what may arrive there, bit/s. */
  private static final class Receiver {
    private final PortId port;
    private final long ceilingBitsPerSecond;

    Receiver(PortId port, long ceilingBitsPerSecond) {
      this.port = port;
      this.ceilingBitsPerSecond = ceilingBitsPerSecond;
    }

    Capacity capacity() {
      return new Capacity(
          ReceiveCeiling.drainedBitsPerSecond(ceilingBitsPerSecond), CapacitySource.CONFIGURED);
    }
  }

  /** An endpoint with receivers. */
  private static final class Entry {
    private final Set<IpAddress> ips;
    private final List<Receiver> receivers;

    Entry(Set<IpAddress> ips, List<Receiver> receivers) {
      this.ips = ips;
      this.receivers = receivers;
    }
  }

  /**
   * None yet.
   *
   * @param receiversMark uplinks without a receive ceiling have their capacity for one
   */
  public ReceivePorts(
      AgentLink link, ReportedEndpoints endpoints, TenantDirectory tenants, boolean receiversMark) {
    this.link = link;
    this.endpoints = endpoints;
    this.tenants = tenants;
    this.receiversMark = receiversMark;
  }

  public void start() {
    link.addListener(this);
  }

  public void stop() {
    link.removeListener(this);
  }

  /** The registry of endpoints announces the session: what is noted here is evaluated with it. */
  @Override
  public void sessionOpened(HostHello hello) {
    long ceiling = hello.uplinkReceiveCeilingBitsPerSecond();
    if (ceiling == 0 && receiversMark) {
      ceiling = hello.uplinkCapacityBitsPerSecond();
    }
    if (ceiling > 0) {
      PortId port = PortId.ofReceiver(hello.host(), hello.uplink());
      uplinks.put(hello.host(), new Receiver(port, ceiling));
    } else {
      uplinks.remove(hello.host());
    }
  }

  /** Grows whenever there is another port, or one has another capacity. */
  long version() {
    long endpointsNow = endpoints.epoch().get();
    long tenantsNow = tenants.epoch().get();
    if (endpointsNow != endpointsEpoch || tenantsNow != tenantsEpoch) {
      Set<EndpointId> changed =
          tenantsNow == tenantsEpoch
              ? endpoints.changedSince(endpointsEpoch).orElseGet(this::allEndpoints)
              : allEndpoints();
      endpointsEpoch = endpointsNow;
      tenantsEpoch = tenantsNow;
      gather(changed);
    }
    return version;
  }

  private Set<EndpointId> allEndpoints() {
    Set<EndpointId> all = new HashSet<>(entries.keySet());
    endpoints.reported().forEach(endpoint -> all.add(endpoint.id()));
    return all;
  }

  private void gather(Set<EndpointId> changed) {
    Map<IpAddress, List<PortId>> pathsBefore = new HashMap<>();
    Map<PortId, Capacity> portsBefore = new HashMap<>();
    for (EndpointId id : changed) {
      Entry entry = entries.remove(id);
      if (entry != null) {
        entry.ips.forEach(ip -> pathsBefore.put(ip, byAddress.remove(ip)));
        for (Receiver receiver : entry.receivers) {
          portsBefore.put(receiver.port, receiver.capacity());
          if (users.merge(receiver.port, -1, Integer::sum) == 0) {
            users.remove(receiver.port);
            capacities.remove(receiver.port);
          }
        }
      }
    }
    Map<IpAddress, List<PortId>> paths = new HashMap<>();
    Map<PortId, Capacity> ports = new HashMap<>();
    for (EndpointId id : changed) {
      endpoints
          .endpoint(id)
          .map(endpoint -> new Entry(endpoint.ips(), receivers(endpoint)))
          .filter(entry -> !entry.receivers.isEmpty())
          .ifPresent(
              entry -> {
                entries.put(id, entry);
                List<PortId> path = new ArrayList<>();
                for (Receiver receiver : entry.receivers) {
                  path.add(receiver.port);
                  ports.put(receiver.port, receiver.capacity());
                  users.merge(receiver.port, 1, Integer::sum);
                }
                entry.ips.forEach(ip -> paths.put(ip, List.copyOf(path)));
              });
    }
    byAddress.putAll(paths);
    capacities.putAll(ports);
    if (!paths.equals(pathsBefore) || !ports.equals(portsBefore)) {
      version++;
    }
  }

  private List<Receiver> receivers(ReportedEndpoint endpoint) {
    List<Receiver> found = new ArrayList<>();
    Optional.ofNullable(uplinks.get(endpoint.id().host())).ifPresent(found::add);
    long ceiling = tenants.tenantOf(endpoint).receiveCeilingBitsPerSecond();
    if (ceiling > 0) {
      PortId port = PortId.ofReceiver(endpoint.id().host(), endpoint.id().interfaceName());
      found.add(new Receiver(port, ceiling));
    }
    return found;
  }

  /** All of them, with what is shared there. */
  Map<PortId, Capacity> all() {
    return capacities;
  }

  /** Those that packets to an address cross last, in this order. */
  List<PortId> towards(IpAddress destination) {
    return byAddress.getOrDefault(destination, List.of());
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.registry.Capacities;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.spi.Epoch;
import org.sluice.core.tenant.TenantDirectory;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.shim.host.Addresses;

/** What a controller's registries hold of a network that stays as it is, of one tenant. */
final class SedRegistry implements ReportedEndpoints, TenantDirectory, Capacities {
  private static final long SESSION = 1;

  private final Epoch epoch = new Epoch();
  private final Tenant tenant = onlyTenant();
  private final Map<IpAddress, ReportedEndpoint> byIp = new HashMap<>();
  private final Map<HostId, List<ReportedEndpoint>> byHost = new HashMap<>();
  private final Map<PortId, Capacity> capacities = new HashMap<>();

  SedRegistry(Network network, Addresses addresses, NetworkPaths paths) {
    for (Endpoint endpoint : network.endpoints()) {
      int number = endpoint.number();
      byte[] mac = {2, 0, 0, (byte) (number >> 16), (byte) (number >> 8), (byte) number};
      IpAddress ip = addresses.ip(number);
      ReportedEndpoint reported =
          ReportedEndpoint.of(addresses.id(number), MacAddress.of(mac), Set.of(ip));
      byIp.put(ip, reported);
      byHost.computeIfAbsent(reported.id().host(), none -> new ArrayList<>()).add(reported);
    }
    for (Switch s : network.switches()) {
      for (Port port : s.ports()) {
        Capacity capacity =
            new Capacity(port.rateBitsPerSecond(), PortStatus.CapacitySource.SWITCH);
        capacities.put(paths.id(port), capacity);
      }
    }
  }

  private static Tenant onlyTenant() {
    try {
      return Tenant.builder(TenantId.DEFAULT).build();
    } catch (SluiceException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Map<HostId, Long> sessions() {
    return byHost.keySet().stream().collect(Collectors.toMap(host -> host, host -> SESSION));
  }

  @Override
  public List<ReportedEndpoint> reported() {
    return byIp.values().stream()
        .sorted(Comparator.comparing(endpoint -> endpoint.id().toString()))
        .toList();
  }

  /** The endpoints of a host. */
  List<ReportedEndpoint> reported(Host host) {
    return byHost.getOrDefault(HostId.of(host.name()), List.of());
  }

  @Override
  public Optional<ReportedEndpoint> holder(IpAddress ip) {
    return Optional.ofNullable(byIp.get(ip));
  }

  @Override
  public Tenant tenantOf(ReportedEndpoint endpoint) {
    return tenant;
  }

  @Override
  public Map<PortId, Capacity> all() {
    return Map.copyOf(capacities);
  }

  @Override
  public Optional<Capacity> capacity(PortId port) {
    return Optional.ofNullable(capacities.get(port));
  }
}

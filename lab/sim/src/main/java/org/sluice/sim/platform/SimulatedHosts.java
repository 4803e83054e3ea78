// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.core.spi.Attachments;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.HostSightings;
import org.sluice.core.spi.Topology;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.shim.host.Addresses;

/** Behind which edge ports the network's endpoints were seen, and what was learned of that. */
final class SimulatedHosts implements HostSightings, Attachments {
  private final Network network;
  private final Addresses addresses;
  private final SwitchNames names;
  private final Topology topology;
  private final Epoch epoch = new Epoch();
  private final Map<IpAddress, PortId> attachments = new HashMap<>();
  private final Map<MacAddress, Sighting> sightings = new LinkedHashMap<>();
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();

  SimulatedHosts(Network network, Addresses addresses, SwitchNames names, Topology topology) {
    this.network = network;
    this.addresses = addresses;
    this.names = names;
    this.topology = topology;
    changed();
  }

  /** Endpoints have moved, or hosts' links have failed or returned. */
  void changed() {
    for (Endpoint endpoint : network.endpoints()) {
      Port nic = endpoint.host().nic();
      MacAddress mac = addresses.mac(endpoint.number());
      if (nic.isUp() && nic.peer() instanceof Switch) {
        Set<IpAddress> ips = Set.of(addresses.ip(endpoint.number()));
        Sighting sighting = Sighting.of(mac, ips, names.entrance(nic));
        if (!sighting.equals(sightings.put(mac, sighting))) {
          listeners.forEach(listener -> listener.seen(sighting));
        }
      }
    }
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Optional<PortId> locate(IpAddress ip) {
    return Optional.ofNullable(attachments.get(ip));
  }

  @Override
  public void learn(IpAddress ip, PortId port) {
    if (!topology.isInterSwitch(port) && !port.equals(attachments.put(ip, port))) {
      epoch.advance();
    }
  }

  @Override
  public void forget(IpAddress ip) {
    if (attachments.remove(ip) != null) {
      epoch.advance();
    }
  }

  @Override
  public Collection<Sighting> all() {
    return List.copyOf(sightings.values());
  }

  @Override
  public Collection<Sighting> of(MacAddress mac) {
    return sightings.containsKey(mac) ? List.of(sightings.get(mac)) : List.of();
  }

  @Override
  public void addListener(Listener listener) {
    listeners.add(listener);
  }

  @Override
  public void removeListener(Listener listener) {
    listeners.remove(listener);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.onosproject.net.Host;
import org.onosproject.net.host.HostEvent;
import org.onosproject.net.host.HostService;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.core.spi.HostSightings;

/** Hosts as ONOS's host service learns them. */
final class OnosHostSightings implements HostSightings {
  private final HostService hosts;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();

  OnosHostSightings(HostService hosts) {
    this.hosts = hosts;
  }

  void changed(HostEvent event) {
    Sighting sighting = sighting(event.subject());
    boolean gone = event.type() == HostEvent.Type.HOST_REMOVED;
    listeners.forEach(
        listener -> {
          if (gone) {
            listener.gone(sighting);
          } else {
            listener.seen(sighting);
          }
        });
  }

  private static Sighting sighting(Host host) {
    Set<IpAddress> ips = host.ipAddresses().stream().map(OnosTypes::ip).collect(Collectors.toSet());
    return Sighting.of(OnosTypes.mac(host.mac()), ips, OnosTypes.port(host.location()));
  }

  @Override
  public Collection<Sighting> all() {
    return StreamSupport.stream(hosts.getHosts().spliterator(), false)
        .map(OnosHostSightings::sighting)
        .collect(Collectors.toList());
  }

  @Override
  public Collection<Sighting> of(MacAddress mac) {
    return hosts.getHostsByMac(OnosTypes.mac(mac)).stream()
        .map(OnosHostSightings::sighting)
        .collect(Collectors.toList());
  }

  @Override
  public Optional<MacAddress> macOf(IpAddress ip) {
    return hosts.getHostsByIp(OnosTypes.ip(ip)).stream()
        .map(host -> OnosTypes.mac(host.mac()))
        .findFirst();
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

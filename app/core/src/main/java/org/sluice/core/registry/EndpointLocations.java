// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.spi.Attachments;
import org.sluice.core.spi.HostSightings;
import org.sluice.core.spi.HostSightings.Sighting;
import org.sluice.core.spi.Switches;
import org.sluice.core.spi.Topology;

/**
 * Brings what the platform sees of hosts and what agents report of endpoints into the attachment
 * map. An agent's report of the MAC that has an address decides: a VM cannot draw another one's
 * traffic to itself by claiming its address.
 */
public final class EndpointLocations implements EndpointLocator, HostSightings.Listener {
  private final HostSightings sightings;
  private final Switches switches;
  private final Attachments attachments;
  private final ReportedEndpoints endpoints;
  private final Topology topology;
  private final Runnable endpointListener = this::learnReported;

  /** MACs that were seen with addresses of others; what agents report next may clear them. */
  private final Set<MacAddress> contested = ConcurrentHashMap.newKeySet();

  public EndpointLocations(
      HostSightings sightings,
      Switches switches,
      Attachments attachments,
      ReportedEndpoints endpoints,
      Topology topology) {
    this.sightings = sightings;
    this.switches = switches;
    this.attachments = attachments;
    this.endpoints = endpoints;
    this.topology = topology;
  }

  public void start() {
    sightings.addListener(this);
    endpoints.epoch().addListener(endpointListener);
    learnAll();
  }

  public void stop() {
    endpoints.epoch().removeListener(endpointListener);
    sightings.removeListener(this);
  }

  @Override
  public Optional<PortId> locate(ReportedEndpoint endpoint) {
    for (IpAddress ip : endpoint.ips()) {
      Optional<PortId> port = attachments.locate(ip);
      if (port.isPresent()) {
        return port;
      }
    }
    return sightings.locate(endpoint.mac()).filter(port -> !topology.isInterSwitch(port));
  }

  @Override
  public void gone(Sighting sighting) {
    contested.remove(sighting.mac());
    if (!switches.isConnected(sighting.port().datapath())) {
      return; // The switch is away: that says nothing about what is attached to it.
    }
    for (IpAddress ip : sighting.ips()) {
      if (attachments.locate(ip).equals(Optional.of(sighting.port()))) {
        attachments.forget(ip);
      }
    }
  }

  @Override
  public void seen(Sighting sighting) {
    for (IpAddress ip : sighting.ips()) {
      boolean credible =
          endpoints.holder(ip).map(endpoint -> endpoint.mac().equals(sighting.mac())).orElse(true);
      if (credible) {
        attachments.learn(ip, sighting.port());
      } else {
        contested.add(sighting.mac());
      }
    }
    // The platform learns addresses from ARP only; the agent has them all.
    for (ReportedEndpoint endpoint : endpoints.reported()) {
      if (endpoint.mac().equals(sighting.mac())) {
        endpoint.ips().forEach(ip -> attachments.learn(ip, sighting.port()));
      }
    }
  }

  private void learnAll() {
    sightings.all().forEach(this::seen);
  }

  /** Other machines are no younger for a report that is not about them. */
  private void learnReported() {
    Set<MacAddress> concerned = new HashSet<>(contested);
    endpoints.reported().forEach(endpoint -> concerned.add(endpoint.mac()));
    for (Sighting sighting : sightings.all()) {
      if (concerned.contains(sighting.mac())) {
        contested.remove(sighting.mac());
        seen(sighting);
      }
    }
  }
}

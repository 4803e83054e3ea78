// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
import org.sluice.core.spi.Mastership;
import org.sluice.core.spi.Switches;
import org.sluice.core.spi.Topology;

/**
 * Brings what the platform sees of hosts and what agents report of endpoints into the attachment
 * map. An agent's report of the MAC that has an address decides: a VM cannot draw another one's
 * traffic to itself by claiming its address. All nodes learn of each sighting, some of them late:
 * the master of the switch writes it, so that none undoes what is newer.
 */
public final class EndpointLocations implements EndpointLocator, HostSightings.Listener {
  private final HostSightings sightings;
  private final Switches switches;
  private final Attachments attachments;
  private final ReportedEndpoints endpoints;
  private final Topology topology;
  private final Mastership mastership;
  private final Runnable endpointListener = this::learnReported;
  private final Runnable masterListener = this::learnOfNewSwitches;

  /** MACs that were seen with addresses of others; what agents report next may clear them. */
  private final Set<MacAddress> contested = ConcurrentHashMap.newKeySet();

  /** Switches whose sightings this node wrote at its last evaluation. */
  private final Set<String> written = ConcurrentHashMap.newKeySet();

  public EndpointLocations(
      HostSightings sightings,
      Switches switches,
      Attachments attachments,
      ReportedEndpoints endpoints,
      Topology topology,
      Mastership mastership) {
    this.sightings = sightings;
    this.switches = switches;
    this.attachments = attachments;
    this.endpoints = endpoints;
    this.topology = topology;
    this.mastership = mastership;
  }

  public void start() {
    sightings.addListener(this);
    endpoints.epoch().addListener(endpointListener);
    mastership.epoch().addListener(masterListener);
    learnOfNewSwitches();
  }

  public void stop() {
    mastership.epoch().removeListener(masterListener);
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
    if (!isToWrite(sighting)) {
      return;
    }
    if (!switches.isConnected(sighting.port().datapath())) {
      return; // The switch is away: that says nothing about what is attached to it.
    }
    for (IpAddress ip : sighting.ips()) {
      if (attachments.locate(ip).equals(Optional.of(sighting.port()))) {
        attachments.forget(ip);
      }
    }
  }

  /** Without a master any node does. */
  private boolean isToWrite(Sighting sighting) {
    String datapath = sighting.port().datapath();
    return mastership.isLocal(datapath) || mastership.masterOf(datapath).isEmpty();
  }

  @Override
  public void seen(Sighting sighting) {
    seen(sighting, byMac());
  }

  private Map<MacAddress, List<ReportedEndpoint>> byMac() {
    Map<MacAddress, List<ReportedEndpoint>> found = new HashMap<>();
    for (ReportedEndpoint endpoint : endpoints.reported()) {
      found.computeIfAbsent(endpoint.mac(), mac -> new ArrayList<>()).add(endpoint);
    }
    return found;
  }

  private void seen(Sighting sighting, Map<MacAddress, List<ReportedEndpoint>> byMac) {
    if (!isToWrite(sighting)) {
      return;
    }
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
    for (ReportedEndpoint endpoint : byMac.getOrDefault(sighting.mac(), List.of())) {
      endpoint.ips().forEach(ip -> attachments.learn(ip, sighting.port()));
    }
  }

  /** What the last master of a switch may not have written. */
  private void learnOfNewSwitches() {
    Set<String> now = new HashSet<>();
    Map<MacAddress, List<ReportedEndpoint>> byMac = byMac();
    for (Sighting sighting : sightings.all()) {
      if (isToWrite(sighting)) {
        now.add(sighting.port().datapath());
        if (!written.contains(sighting.port().datapath())) {
          seen(sighting, byMac);
        }
      }
    }
    written.retainAll(now);
    written.addAll(now);
  }

  /** Other machines are no younger for a report that is not about them. */
  private void learnReported() {
    Map<MacAddress, List<ReportedEndpoint>> byMac = byMac();
    Set<MacAddress> concerned = new HashSet<>(contested);
    concerned.addAll(byMac.keySet());
    for (Sighting sighting : sightings.all()) {
      if (concerned.contains(sighting.mac())) {
        contested.remove(sighting.mac());
        seen(sighting, byMac);
      }
    }
  }
}

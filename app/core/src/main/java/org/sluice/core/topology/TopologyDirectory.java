// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.topology;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.sluice.api.HostId;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.topology.Attachment;
import org.sluice.api.topology.NetworkTopology;
import org.sluice.api.topology.SwitchLink;
import org.sluice.api.topology.SwitchStatus;
import org.sluice.api.topology.TopologyService;
import org.sluice.core.registry.EndpointLocator;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.spi.HostSightings;
import org.sluice.core.spi.Switches;
import org.sluice.core.spi.Topology;

/** Puts together what the platform knows of switches and links and what agents report. */
public final class TopologyDirectory implements TopologyService {
  private final Switches switches;
  private final Topology topology;
  private final HostSightings sightings;
  private final ReportedEndpoints endpoints;
  private final EndpointLocator locator;

  public TopologyDirectory(
      Switches switches,
      Topology topology,
      HostSightings sightings,
      ReportedEndpoints endpoints,
      EndpointLocator locator) {
    this.switches = switches;
    this.topology = topology;
    this.sightings = sightings;
    this.endpoints = endpoints;
    this.locator = locator;
  }

  @Override
  public NetworkTopology topology() {
    Map<PortId, PortId> peers = new TreeMap<>(topology.peers());
    List<SwitchLink> links = new ArrayList<>();
    peers.forEach((source, target) -> links.add(SwitchLink.of(source, target)));
    List<Attachment> attachments = attachments();
    return NetworkTopology.of(statuses(SwitchLayers.of(links, attachments)), links, attachments);
  }

  private List<SwitchStatus> statuses(SwitchLayers layers) {
    List<SwitchStatus> statuses = new ArrayList<>();
    for (String datapath : new TreeSet<>(switches.known())) {
      OptionalInt layer = layers.layer(datapath);
      statuses.add(
          SwitchStatus.of(
              datapath, switches.name(datapath), switches.isConnected(datapath), layer));
    }
    return statuses;
  }

  private List<Attachment> attachments() {
    Map<PortId, Set<HostId>> hosts = new TreeMap<>();
    Set<MacAddress> reported = new HashSet<>();
    for (ReportedEndpoint endpoint : endpoints.reported()) {
      reported.add(endpoint.mac());
      locator
          .locate(endpoint)
          .ifPresent(
              port -> hosts.computeIfAbsent(port, p -> new TreeSet<>()).add(endpoint.id().host()));
    }
    // Beside a host's endpoints its own interface is seen at the port: that is no other machine.
    for (HostSightings.Sighting sighting : sightings.all()) {
      if (!reported.contains(sighting.mac()) && !topology.isInterSwitch(sighting.port())) {
        hosts.computeIfAbsent(sighting.port(), p -> Set.of());
      }
    }
    List<Attachment> attachments = new ArrayList<>();
    hosts.forEach((port, there) -> add(port, there, attachments));
    return attachments;
  }

  private static void add(PortId port, Collection<HostId> hosts, List<Attachment> to) {
    if (hosts.isEmpty()) {
      to.add(Attachment.of(Optional.empty(), port));
    }
    hosts.forEach(host -> to.add(Attachment.of(Optional.of(host), port)));
  }
}

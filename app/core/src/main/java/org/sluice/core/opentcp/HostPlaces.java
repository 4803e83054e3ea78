// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.sluice.api.HostId;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.link.UplinkHandler;
import org.sluice.core.registry.EndpointLocator;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.spi.HostSightings;
import org.sluice.core.spi.Switches;
import org.sluice.core.spi.Topology;

/**
 * Behind which edge ports hosts are: where their endpoints are, else where the MAC address of their
 * uplink was seen. One whose agent is away stays where it was, so that a restart changes nothing
 * for others. Thread-safe.
 */
final class HostPlaces implements UplinkHandler {
  private final ReportedEndpoints endpoints;
  private final EndpointLocator locator;
  private final HostSightings sightings;
  private final Topology topology;
  private final Switches switches;
  private final Map<HostId, MacAddress> uplinks = new ConcurrentHashMap<>();
  private final Map<HostId, PortId> last = new ConcurrentHashMap<>();

  HostPlaces(
      ReportedEndpoints endpoints,
      EndpointLocator locator,
      HostSightings sightings,
      Topology topology,
      Switches switches) {
    this.endpoints = endpoints;
    this.locator = locator;
    this.sightings = sightings;
    this.topology = topology;
    this.switches = switches;
  }

  @Override
  public void sessionOpened(HostHello hello) {
    if (hello.uplinkCapacityBitsPerSecond() > 0) {
      uplinks.put(hello.host(), hello.uplinkMac());
    } else {
      uplinks.remove(hello.host()); // It keeps ports' queues only.
      last.remove(hello.host());
    }
  }

  /** Hosts with an uplink, each with its edge port; empty: not known. */
  Map<HostId, Optional<PortId>> places() {
    Map<HostId, PortId> byEndpoint = new TreeMap<>();
    for (ReportedEndpoint endpoint : endpoints.reported()) {
      HostId host = endpoint.id().host();
      if (uplinks.containsKey(host) && !byEndpoint.containsKey(host)) {
        locator.locate(endpoint).ifPresent(port -> byEndpoint.put(host, port));
      }
    }
    Map<HostId, Optional<PortId>> found = new TreeMap<>();
    uplinks.forEach(
        (host, mac) ->
            found.put(host, place(host, mac, Optional.ofNullable(byEndpoint.get(host)))));
    return found;
  }

  private Optional<PortId> place(HostId host, MacAddress uplink, Optional<PortId> byEndpoint) {
    Optional<PortId> now =
        byEndpoint.or(() -> sightings.locate(uplink).filter(port -> !topology.isInterSwitch(port)));
    now.ifPresent(port -> last.put(host, port));
    return now.or(
        () ->
            Optional.ofNullable(last.get(host))
                .filter(port -> switches.isConnected(port.datapath())));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.loop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.DeviceId;
import org.onosproject.net.PortNumber;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.engine.path.Path;
import org.sluice.engine.path.PathOracle;
import org.sluice.onos.registry.EndpointLocator;
import org.sluice.onos.registry.ReportedEndpoints;
import org.sluice.onos.topology.Attachments;
import org.sluice.onos.topology.ForwardingState;
import org.sluice.onos.topology.OnosTypes;
import org.sluice.onos.topology.ShortestPaths;
import org.sluice.onos.topology.TopologyView;
import org.sluice.onos.topology.Ways;

/**
 * Derives the egress ports between endpoints from the topology: all shortest paths, every switch
 * spreading evenly, or the one that Sluice's rules choose for a destination. Where somebody else
 * forwards it is an estimate and is marked so. For the engine's thread.
 */
final class TopologyPaths implements PathOracle {
  private final TopologyView topology;
  private final Attachments attachments;
  private final ReportedEndpoints endpoints;
  private final EndpointLocator locator;
  private final ForwardingState forwarding;

  private long cachedEpoch = -1;
  private final Map<EndpointId, ReportedEndpoint> byId = new HashMap<>();
  private final Map<List<Object>, Optional<Path>> byEnds = new HashMap<>();

  TopologyPaths(
      TopologyView topology,
      Attachments attachments,
      ReportedEndpoints endpoints,
      EndpointLocator locator,
      ForwardingState forwarding) {
    this.topology = topology;
    this.attachments = attachments;
    this.endpoints = endpoints;
    this.locator = locator;
    this.forwarding = forwarding;
  }

  @Override
  public long epoch() {
    return topology.epoch().get()
        + attachments.epoch().get()
        + endpoints.epoch().get()
        + forwarding.epoch().get();
  }

  @Override
  public Optional<Path> path(EndpointId source, IpAddress destination) {
    long epoch = epoch();
    if (epoch != cachedEpoch) {
      cachedEpoch = epoch;
      byEnds.clear();
      byId.clear();
      endpoints.reported().forEach(endpoint -> byId.put(endpoint.id(), endpoint));
    }
    Optional<ConnectPoint> to = attachments.locate(OnosTypes.ip(destination));
    Optional<PortId> from = Optional.ofNullable(byId.get(source)).flatMap(locator::locate);
    if (from.isEmpty() || to.isEmpty()) {
      return Optional.empty();
    }
    ConnectPoint ingress = OnosTypes.port(from.get());
    if (ingress.equals(to.get())) {
      // Behind the same port: bridged on the host, no switch sees it.
      return Optional.of(Path.of(List.of(), !forwarding.own()));
    }
    if (!forwarding.spreadsFlows()) {
      org.onlab.packet.IpAddress ip = OnosTypes.ip(destination);
      return byEnds.computeIfAbsent(
          List.of(ingress.deviceId(), to.get(), ip), ends -> way(ingress.deviceId(), to.get(), ip));
    }
    return byEnds.computeIfAbsent(
        List.of(ingress.deviceId(), to.get()), ends -> path(ingress.deviceId(), to.get()));
  }

  /** The one way that Sluice's rules choose for a destination. */
  private Optional<Path> way(
      DeviceId from, ConnectPoint edge, org.onlab.packet.IpAddress destination) {
    ShortestPaths paths = topology.paths();
    List<Path.Hop> hops = new ArrayList<>();
    for (DeviceId device = from; !device.equals(edge.deviceId()); ) {
      List<PortNumber> ports = paths.nextHops(device, edge.deviceId());
      if (ports.isEmpty()) {
        return Optional.empty();
      }
      PortNumber port = Ways.chosen(device, destination, ports);
      hops.add(Path.Hop.of(OnosTypes.port(new ConnectPoint(device, port))));
      device = paths.neighbour(device, port);
    }
    hops.add(Path.Hop.of(OnosTypes.port(edge)));
    return Optional.of(Path.of(hops, false));
  }

  private Optional<Path> path(DeviceId from, ConnectPoint edge) {
    ShortestPaths paths = topology.paths();
    List<Path.Hop> hops = new ArrayList<>();
    if (!from.equals(edge.deviceId())) {
      List<ShortestPaths.Share> shares = paths.shares(from, edge.deviceId());
      if (shares.isEmpty()) {
        return Optional.empty();
      }
      for (ShortestPaths.Share share : shares) {
        // Sums of thirds may exceed one by a rounding error.
        hops.add(Path.Hop.of(OnosTypes.port(share.egress()), Math.min(1, share.fraction())));
      }
    }
    hops.add(Path.Hop.of(OnosTypes.port(edge)));
    return Optional.of(Path.of(hops, !forwarding.own()));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.loop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.core.registry.EndpointLocator;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.spi.Attachments;
import org.sluice.core.spi.ForwardingState;
import org.sluice.core.spi.PathShare;
import org.sluice.core.spi.Topology;
import org.sluice.engine.path.Path;
import org.sluice.engine.path.PathOracle;

/**
 * Derives the egress ports between endpoints from the topology: all shortest paths, every switch
 * spreading evenly, or the one that Sluice's routes take to a destination; then the receive ports.
 * Where somebody else forwards it is an estimate and is marked so. Engine thread only.
 */
public final class EndpointPaths implements PathOracle {
  private final Topology topology;
  private final Attachments attachments;
  private final ReportedEndpoints endpoints;
  private final EndpointLocator locator;
  private final ForwardingState forwarding;
  private final ReceivePorts receivers;

  private long cachedEpoch = -1;
  private final Map<List<Object>, Optional<Path>> byEnds = new HashMap<>();

  public EndpointPaths(
      Topology topology,
      Attachments attachments,
      ReportedEndpoints endpoints,
      EndpointLocator locator,
      ForwardingState forwarding,
      ReceivePorts receivers) {
    this.topology = topology;
    this.attachments = attachments;
    this.endpoints = endpoints;
    this.locator = locator;
    this.forwarding = forwarding;
    this.receivers = receivers;
  }

  /** Without that of endpoints: the engine requests the paths of one that changed again. */
  @Override
  public long epoch() {
    return topology.epoch().get()
        + attachments.epoch().get()
        + forwarding.epoch().get()
        + receivers.version();
  }

  @Override
  public Optional<Path> path(EndpointId source, IpAddress destination) {
    followEpoch();
    return path(endpoints.endpoint(source).flatMap(locator::locate), destination);
  }

  /** The same from an address that may be no endpoint's; empty if it is nowhere attached. */
  public Optional<Path> path(IpAddress source, IpAddress destination) {
    followEpoch();
    return path(attachments.locate(source), destination);
  }

  private void followEpoch() {
    long epoch = epoch();
    if (epoch != cachedEpoch) {
      cachedEpoch = epoch;
      byEnds.clear();
    }
  }

  private Optional<Path> path(Optional<PortId> from, IpAddress destination) {
    Optional<PortId> to = attachments.locate(destination);
    if (from.isEmpty() || to.isEmpty()) {
      return Optional.empty();
    }
    if (from.equals(to)) {
      // Behind the same port: bridged on the host, no switch sees it.
      return Optional.of(Path.of(List.of(), !forwarding.own()));
    }
    String datapath = from.get().datapath();
    PortId edge = to.get();
    List<PortId> last = receivers.towards(destination);
    if (!forwarding.spreadsFlows()) {
      return byEnds.computeIfAbsent(
          List.of(datapath, edge, destination), ends -> routed(datapath, edge, destination, last));
    }
    return byEnds.computeIfAbsent(
        List.of(datapath, edge, last), ends -> spread(datapath, edge, last));
  }

  /** The one path of Sluice's routes to a destination. */
  private Optional<Path> routed(
      String from, PortId edge, IpAddress destination, List<PortId> last) {
    List<Path.Hop> hops = new ArrayList<>();
    if (!from.equals(edge.datapath())) {
      List<PortId> ports = topology.routedPath(from, edge.datapath(), destination);
      if (ports.isEmpty()) {
        return Optional.empty();
      }
      ports.forEach(port -> hops.add(Path.Hop.of(port)));
    }
    return Optional.of(ending(hops, edge, last, false));
  }

  private Optional<Path> spread(String from, PortId edge, List<PortId> last) {
    List<Path.Hop> hops = new ArrayList<>();
    if (!from.equals(edge.datapath())) {
      List<PathShare> shares = topology.equalCostPaths(from, edge.datapath());
      if (shares.isEmpty()) {
        return Optional.empty();
      }
      shares.forEach(share -> hops.add(Path.Hop.of(share.egress(), share.fraction())));
    }
    return Optional.of(ending(hops, edge, last, !forwarding.own()));
  }

  private static Path ending(
      List<Path.Hop> hops, PortId edge, List<PortId> last, boolean estimated) {
    hops.add(Path.Hop.of(edge));
    last.forEach(port -> hops.add(Path.Hop.of(port)));
    return Path.of(hops, estimated);
  }
}

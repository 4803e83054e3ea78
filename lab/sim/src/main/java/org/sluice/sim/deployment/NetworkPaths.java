// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.engine.path.Path;
import org.sluice.engine.path.PathOracle;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.shim.host.Addresses;

/**
 * Finds the ports that traffic crosses by the switches' own routes. Where a switch has several
 * equal ports each carries an equal part.
 */
final class NetworkPaths implements PathOracle {
  private final Network network;
  private final Addresses addresses;
  private final Map<PortId, PortId> ports = new HashMap<>();

  /** By the switch of the source's host and the destination's number. */
  private final Map<Switch, Map<Integer, Optional<Path>>> known = new HashMap<>();

  private long epoch;

  NetworkPaths(Network network, Addresses addresses) {
    this.network = network;
    this.addresses = addresses;
  }

  /** Routes have changed. */
  void forget() {
    epoch++;
    known.clear();
  }

  /** The controller's name of a switch's egress port. */
  PortId id(Port port) {
    PortId id = PortId.of(port.owner().name(), port.index());
    return ports.computeIfAbsent(id, same -> same);
  }

  @Override
  public long epoch() {
    return epoch;
  }

  @Override
  public Optional<Path> path(EndpointId source, IpAddress destination) {
    Endpoint to = addresses.endpoint(destination);
    if (to == null || !(network.host(source.host().name()).nic().peer() instanceof Switch first)) {
      return Optional.empty();
    }
    return known
        .computeIfAbsent(first, none -> new HashMap<>())
        .computeIfAbsent(to.number(), number -> compute(first, number));
  }

  private Optional<Path> compute(Switch first, int destination) {
    List<Path.Hop> hops = new ArrayList<>();
    Map<Switch, Double> level = Map.of(first, 1.0);
    while (!level.isEmpty()) {
      Map<Switch, Double> next = new LinkedHashMap<>();
      for (Map.Entry<Switch, Double> at : level.entrySet()) {
        List<Port> equal = at.getKey().egresses(destination);
        double fraction = at.getValue() / equal.size();
        for (Port port : equal) {
          hops.add(Path.Hop.of(id(port), Math.min(1, fraction)));
          if (port.peer() instanceof Switch beyond) {
            next.merge(beyond, fraction, Double::sum);
          }
        }
      }
      level = next;
    }
    return hops.isEmpty() ? Optional.empty() : Optional.of(Path.of(hops, false));
  }
}

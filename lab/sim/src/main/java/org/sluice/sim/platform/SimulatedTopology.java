// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.ForwardingState;
import org.sluice.core.spi.PathShare;
import org.sluice.core.spi.Topology;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;

/**
 * The links between switches, and the paths by the switches' own routes. Where a switch has several
 * equal ports it spreads flows over them by its hash, so that each carries an equal part.
 */
final class SimulatedTopology implements Topology, ForwardingState {
  private final Network network;
  private final SwitchNames names;
  private final Epoch epoch = new Epoch();
  private final Map<PortId, PortId> peers = new TreeMap<>();

  /** By edge switch: an endpoint that is attached to it, by number. */
  private final Map<String, Integer> anEndpoint = new HashMap<>();

  SimulatedTopology(Network network, SwitchNames names) {
    this.network = network;
    this.names = names;
    follow();
  }

  /** Links or routes have changed. */
  void changed() {
    follow();
    epoch.advance();
  }

  private void follow() {
    peers.clear();
    for (Switch each : network.switches()) {
      for (Port port : each.ports()) {
        if (port.isUp() && port.peer() instanceof Switch) {
          peers.put(names.id(port), names.entrance(port));
        }
      }
    }
    anEndpoint.clear();
    for (Endpoint endpoint : network.endpoints()) {
      if (endpoint.host().nic().peer() instanceof Switch edge) {
        anEndpoint.putIfAbsent(names.datapath(edge), endpoint.number());
      }
    }
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Map<PortId, PortId> peers() {
    return new TreeMap<>(peers);
  }

  @Override
  public boolean isInterSwitch(PortId port) {
    return peers.containsKey(port);
  }

  @Override
  public List<PathShare> equalCostPaths(String fromDatapath, String toDatapath) {
    Integer destination = anEndpoint.get(toDatapath);
    if (destination == null) {
      return List.of();
    }
    List<PathShare> shares = new ArrayList<>();
    Switch last = names.switchOf(toDatapath);
    Map<Switch, Double> level = Map.of(names.switchOf(fromDatapath), 1.0);
    while (!level.isEmpty() && !level.containsKey(last)) {
      Map<Switch, Double> next = new LinkedHashMap<>();
      for (Map.Entry<Switch, Double> at : level.entrySet()) {
        List<Port> equal = at.getKey().egresses(destination);
        double fraction = at.getValue() / equal.size();
        for (Port port : equal) {
          shares.add(PathShare.of(names.id(port), Math.min(1, fraction)));
          next.merge((Switch) port.peer(), fraction, Double::sum);
        }
      }
      level = next;
    }
    return shares;
  }

  @Override
  public List<PortId> routedPath(String fromDatapath, String toDatapath, IpAddress destination) {
    throw new IllegalStateException("switches here spread flows over equal paths");
  }

  @Override
  public boolean own() {
    return true;
  }

  @Override
  public boolean spreadsFlows() {
    return true;
  }
}

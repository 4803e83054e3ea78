// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.sluice.api.PortId;
import org.sluice.engine.opentcp.GroupTopology;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;

/** A network as policies see it: a link for each egress port of a switch, a group for each rack. */
final class RackFabric {
  private final GroupTopology fabric;
  private final List<Port> links = new ArrayList<>();
  private final Map<Switch, Integer> firstLinks = new HashMap<>();
  private final Map<Switch, Integer> racks = new LinkedHashMap<>();
  private final List<List<Host>> hosts = new ArrayList<>();

  /** By rack: any of its endpoints; routes to all others are the same up to its switch. */
  private final Map<Integer, Integer> anEndpoint = new HashMap<>();

  private final int[] rackOfEndpoint;

  /**
   * @throws IllegalArgumentException if a host is at no switch
   */
  RackFabric(Network network) {
    for (Host host : network.hosts()) {
      int rack = racks.computeIfAbsent(edge(host), none -> racks.size());
      if (rack == hosts.size()) {
        hosts.add(new ArrayList<>());
      }
      hosts.get(rack).add(host);
    }
    fabric = new GroupTopology(racks.keySet().stream().map(Switch::name).toList());
    for (Switch each : network.switches()) {
      firstLinks.put(each, links.size());
      for (Port port : each.ports()) {
        PortId name = PortId.of(each.name(), port.index());
        fabric.addLink(name, port.rateBitsPerSecond(), port.peer() instanceof Switch);
        links.add(port);
      }
    }
    List<Endpoint> endpoints = network.endpoints();
    rackOfEndpoint = endpoints.stream().mapToInt(each -> racks.get(edge(each.host()))).toArray();
    endpoints.forEach(each -> anEndpoint.putIfAbsent(rackOf(each.number()), each.number()));
    racks.forEach(
        (source, from) ->
            racks.forEach((last, to) -> fabric.setPath(from, to, path(source, last, to))));
  }

  private static Switch edge(Host host) {
    if (host.nic().peer() instanceof Switch edge) {
      return edge;
    }
    throw new IllegalArgumentException("host " + host.name() + " is at no switch");
  }

  /** All equal paths from one edge switch to another, and from there to its hosts. */
  private int[] path(Switch source, Switch last, int rack) {
    Set<Integer> path = new LinkedHashSet<>();
    if (anEndpoint.containsKey(rack)) {
      add(source, last, anEndpoint.get(rack), path);
    }
    for (Port port : last.ports()) {
      if (port.peer() instanceof Host) {
        path.add(link(port, last));
      }
    }
    return path.stream().mapToInt(Integer::intValue).toArray();
  }

  @SuppressWarnings("ReferenceEquality") // A network's switch is one object.
  private void add(Switch at, Switch last, int destination, Set<Integer> path) {
    if (at == last) {
      return;
    }
    for (Port port : at.egresses(destination)) {
      if (path.add(link(port, at)) && port.peer() instanceof Switch next) {
        add(next, last, destination, path);
      }
    }
  }

  private int link(Port port, Switch owner) {
    return firstLinks.get(owner) + port.index();
  }

  GroupTopology fabric() {
    return fabric;
  }

  /** By link number. */
  List<Port> links() {
    return links;
  }

  /** By rack number. */
  List<List<Host>> hosts() {
    return hosts;
  }

  final int rackOf(int endpoint) {
    return rackOfEndpoint[endpoint];
  }
}

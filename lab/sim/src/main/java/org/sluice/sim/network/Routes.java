// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Shortest paths in hops, all of them where several are equal. */
final class Routes {
  private static final int UNREACHED = Integer.MAX_VALUE;

  private final Network network;
  private final Map<Node, List<Port>> portsTowards = new HashMap<>();

  Routes(Network network) {
    this.network = network;
    for (Port port : network.ports()) {
      if (port.isUp() && port.owner() instanceof Switch) {
        portsTowards.computeIfAbsent(port.peer(), none -> new ArrayList<>()).add(port);
      }
    }
  }

  void compute() {
    Map<Host, List<Endpoint>> tenants = new HashMap<>();
    for (Endpoint endpoint : network.endpoints()) {
      tenants.computeIfAbsent(endpoint.host(), none -> new ArrayList<>()).add(endpoint);
    }
    // Hosts at the same switch share all next hops but the last.
    Map<Set<Node>, Map<Switch, Port[]>> hopsTowards = new HashMap<>();
    for (Host host : network.hosts()) {
      List<Port> last = portsTowards.getOrDefault(host, List.of());
      Set<Node> edges = last.stream().map(Port::owner).collect(Collectors.toSet());
      Map<Switch, Port[]> hops = hopsTowards.computeIfAbsent(edges, this::nextHops);
      List<Endpoint> endpoints = tenants.getOrDefault(host, List.of());
      for (Switch from : network.switches()) {
        Port[] equal =
            edges.contains(from)
                ? last.stream().filter(port -> port.owner() == from).toArray(Port[]::new)
                : hops.get(from);
        for (Endpoint endpoint : endpoints) {
          from.route(endpoint.number(), equal);
        }
      }
    }
  }

  private Map<Switch, Port[]> nextHops(Set<Node> edges) {
    Map<Node, Integer> distances = distancesTo(edges);
    Map<Switch, Port[]> hops = new HashMap<>();
    for (Switch from : network.switches()) {
      hops.put(from, nextHops(from, distances));
    }
    return hops;
  }

  private Map<Node, Integer> distancesTo(Set<Node> edges) {
    Map<Node, Integer> distances = new HashMap<>();
    edges.forEach(edge -> distances.put(edge, 0));
    Deque<Node> next = new ArrayDeque<>(edges);
    while (!next.isEmpty()) {
      Node node = next.remove();
      for (Port port : portsTowards.getOrDefault(node, List.of())) {
        if (distances.putIfAbsent(port.owner(), distances.get(node) + 1) == null) {
          next.add(port.owner());
        }
      }
    }
    return distances;
  }

  private static Port[] nextHops(Switch from, Map<Node, Integer> distances) {
    int own = distances.getOrDefault(from, UNREACHED);
    List<Port> equal = new ArrayList<>();
    for (Port port : from.ports()) {
      int beyond = distances.getOrDefault(port.peer(), UNREACHED);
      if (port.isUp() && own != UNREACHED && beyond == own - 1) {
        equal.add(port);
      }
    }
    return equal.toArray(Port[]::new);
  }
}

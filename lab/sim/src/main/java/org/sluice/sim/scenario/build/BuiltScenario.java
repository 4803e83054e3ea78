// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.sluice.sim.deployment.ControlTraffic;
import org.sluice.sim.deployment.FlowRegistrations;
import org.sluice.sim.deployment.HintRecord;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.scenario.document.Fields;
import org.sluice.sim.scenario.document.Similar;
import org.sluice.sim.scenario.measure.CounterSampler;
import org.sluice.sim.scenario.measure.EndpointShare;
import org.sluice.sim.scenario.measure.FabricMetrics;
import org.sluice.sim.scenario.measure.FairShares;
import org.sluice.sim.scenario.measure.MaxMinShares;
import org.sluice.sim.scenario.measure.TrafficGroup;
import org.sluice.sim.scenario.measure.Window;
import org.sluice.sim.transport.RouteTable;
import org.sluice.sim.transport.TcpFlow;

/** What has been built of a scenario so far, found by the names that its file uses. */
final class BuiltScenario {
  private final Network network;
  private final Map<String, TrafficGroup> groups = new LinkedHashMap<>();
  private final FairShares shares = new FairShares(groups.values());
  private final MaxMinShares maxMin = new MaxMinShares(groups.values());
  private final List<Supplier<List<TcpFlow>>> connections = new ArrayList<>();
  private FlowRegistrations deadlines;
  private LongSupplier caps = () -> 0;
  private HintRecord hints;
  private RouteTable routes;
  private ControlTraffic controlTraffic = ControlTraffic.NONE;
  private final Map<Window, FabricMetrics> fabrics = new LinkedHashMap<>();

  BuiltScenario(Network network) {
    this.network = network;
  }

  /** Where deadlines are registered, if they can be. */
  void setDeadlines(FlowRegistrations value) {
    deadlines = value;
  }

  /** Null where no deadline can be registered. */
  FlowRegistrations deadlines() {
    return deadlines;
  }

  /** How many caps were set or renewed. */
  void setCaps(LongSupplier value) {
    caps = value;
  }

  /** Caps that were set or renewed so far; 0 where nothing caps. */
  long caps() {
    return caps.getAsLong();
  }

  /** Hints on this network, if there are any, and the routes that these change. */
  void setHints(HintRecord value, RouteTable hintedRoutes) {
    hints = value;
    routes = hintedRoutes;
  }

  /** Null where there are none. */
  HintRecord hints() {
    return hints;
  }

  /** What flows' hosts are hinted at; null for nothing. */
  RouteTable routes() {
    return routes;
  }

  /** What the law's control plane sends. */
  void setControlTraffic(ControlTraffic value) {
    controlTraffic = value;
  }

  /** What the law's control plane sends; nothing where it has none. */
  ControlTraffic controlTraffic() {
    return controlTraffic;
  }

  /** Adds TCP flows, of which there may be more later. */
  void addConnections(Supplier<List<TcpFlow>> flows) {
    connections.add(flows);
  }

  /** All TCP flows that there are by now. */
  List<TcpFlow> connections() {
    return connections.stream().flatMap(flows -> flows.get().stream()).toList();
  }

  Network network() {
    return network;
  }

  Map<String, TrafficGroup> groups() {
    return groups;
  }

  FairShares shares() {
    return shares;
  }

  MaxMinShares maxMin() {
    return maxMin;
  }

  /** Of all endpoints and ports together. */
  FabricMetrics fabric(Window window, CounterSampler sampler) {
    return fabrics.computeIfAbsent(
        window, none -> new FabricMetrics(maxMin, groups.values(), window, sampler));
  }

  /** What each endpoint is due and got, in the first window that anything is measured of. */
  List<EndpointShare> endpointShares() {
    return fabrics.isEmpty() ? List.of() : fabrics.values().iterator().next().endpoints();
  }

  /** The endpoints that a selector means; at least one. */
  List<Endpoint> endpoints(Fields at, String key) {
    List<String> names = network.endpoints().stream().map(Endpoint::name).toList();
    String selector = at.text(key, "");
    List<String> selected = NameRange.select(selector, names);
    if (selected.isEmpty()) {
      throw at.problem(
          key, "no endpoint is called " + selector, "the endpoints are " + summary(names));
    }
    return selected.stream().map(network::endpoint).toList();
  }

  /** The groups of flows that are named; at least one. */
  List<TrafficGroup> groups(Fields at, String key) {
    List<TrafficGroup> found = new ArrayList<>();
    for (String name : at.texts(key)) {
      TrafficGroup group = groups.get(name);
      if (group == null) {
        String near =
            Similar.nearest(name, groups.keySet()).map(n -> "did you mean " + n + "? ").orElse("");
        throw at.problem(
            key,
            "there is no group of flows " + name,
            near + "the groups are " + String.join(", ", groups.keySet()));
      }
      found.add(group);
    }
    return found;
  }

  /** The ports that FROM&gt;TO means, {@code *} standing for any text; at least one. */
  List<Port> ports(Fields at, String key) {
    String selector = at.text(key, "");
    String[] ends = selector.split(">");
    List<Port> found =
        network.ports().stream()
            .filter(port -> matches(ends[0], port.owner().name()))
            .filter(port -> matches(ends[1], port.peer().name()))
            .toList();
    if (found.isEmpty()) {
      List<String> names =
          network.ports().stream()
              .map(port -> port.owner().name() + ">" + port.peer().name())
              .toList();
      throw at.problem(key, "there is no port " + selector, "the ports are " + summary(names));
    }
    return found;
  }

  private static boolean matches(String pattern, String name) {
    return NameRange.select(pattern, List.of(name)).size() == 1;
  }

  /** Some of many names. */
  static String summary(List<String> names) {
    int shown = Math.min(8, names.size());
    String some = String.join(", ", names.subList(0, shown));
    return names.size() > shown ? some + " ... (" + names.size() + ")" : some;
  }
}

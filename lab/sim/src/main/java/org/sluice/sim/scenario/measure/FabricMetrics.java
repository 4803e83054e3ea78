// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.transport.Flow;

/**
 * How near all endpoints of a network come to what they are due, and how those switches' ports are
 * used that are full in the ideal. Who sends in turns is judged by what it would have sent. Where
 * some hosts have shims, those that have none take part and are not judged.
 */
public final class FabricMetrics {
  private static final Statistic P99 = Statistic.named("p99");

  private final Window window;
  private final Timeline timeline;
  private final List<GroupSeries> groups;
  private final Map<Endpoint, Double> due = new LinkedHashMap<>();
  private final List<QueueHistogram> queues = new ArrayList<>();
  private final List<PortSeries> ports = new ArrayList<>();

  /** To be made when all flows are known and nothing is sent yet. */
  public FabricMetrics(
      MaxMinShares maxMin, Collection<TrafficGroup> groups, Window window, CounterSampler sampler) {
    this.window = window;
    this.timeline = sampler.timeline();
    this.groups = groups.stream().map(sampler::watch).toList();
    MaxMinShares.Shares shares = maxMin.over(window, Map.of());
    boolean hasShims = shares.megabits().keySet().stream().anyMatch(FabricMetrics::hasShim);
    shares
        .megabits()
        .forEach(
            (flow, mbits) -> {
              if (hasShim(flow) == hasShims) {
                due.merge(flow.source(), mbits, Double::sum);
              }
            });
    for (Port port : shares.full()) {
      if (port.owner() instanceof Switch) {
        queues.add(sampler.watchQueue(List.of(port), window));
        String name = port.owner().name() + ">" + port.peer().name() + "/" + port.index();
        ports.add(sampler.watch(name, List.of(port)));
      }
    }
  }

  private static boolean hasShim(Flow flow) {
    return flow.source().host().hasShim();
  }

  /** The largest distance of any endpoint from what it is due, as a part of that. */
  public Metric deviation() {
    return () ->
        endpoints().stream()
            .mapToDouble(each -> Math.abs(each.deviation()))
            .max()
            .orElse(Double.NaN);
  }

  /** The largest part of what it is due that any endpoint does not get. */
  public Metric shortfall() {
    return () ->
        endpoints().stream().mapToDouble(each -> -each.deviation()).max().orElse(Double.NaN);
  }

  /** The 99th percentile of the packets waiting at the full port where it is largest. */
  public Metric queue() {
    return () -> queues.stream().mapToDouble(each -> each.statistic(P99)).max().orElse(Double.NaN);
  }

  /** IP bytes sent over what could have been sent, of the full port where that is least. */
  public Metric utilisation() {
    int from = timeline.reading(window.fromNanos());
    int to = timeline.reading(window.toNanos());
    return () ->
        ports.stream().mapToDouble(each -> each.utilisation(from, to)).min().orElse(Double.NaN);
  }

  /** By endpoint, in the order of the flows; only before the sampler's end. */
  public List<EndpointShare> endpoints() {
    int from = timeline.reading(window.fromNanos());
    int to = timeline.reading(window.toNanos());
    Map<Endpoint, Double> got = new LinkedHashMap<>();
    for (GroupSeries group : groups) {
      for (int i = 0; i < group.flows(); i++) {
        got.merge(group.group().flows().get(i).source(), group.megabits(i, from, to), Double::sum);
      }
    }
    List<EndpointShare> endpoints = new ArrayList<>();
    due.forEach(
        (endpoint, mbits) ->
            endpoints.add(
                new EndpointShare(endpoint.name(), mbits, got.getOrDefault(endpoint, 0.0))));
    return endpoints;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.transport.Flow;

/**
 * What each lasting flow is due of a port that all of them cross: the capacity by the weights of
 * the sending endpoints, an endpoint's part evenly among its flows. Guarantees and ceilings play no
 * part.
 */
public final class FairShares {
  private final Collection<TrafficGroup> groups;
  private final Map<Endpoint, List<WeightChange>> weights = new HashMap<>();

  private record WeightChange(long atNanos, double weight) {}

  public FairShares(Collection<TrafficGroup> groups) {
    this.groups = groups;
  }

  /** An endpoint has a weight from a time on; 1 before. To be called in the order of time. */
  public void setWeight(Endpoint endpoint, double weight, long atNanos) {
    weights
        .computeIfAbsent(endpoint, none -> new ArrayList<>())
        .add(new WeightChange(atNanos, weight));
  }

  /**
   * The share of a flow that lasts the whole window, Mbit/s.
   *
   * @param capacityBitsPerSecond of the port
   */
  double megabits(Flow flow, Window window, double capacityBitsPerSecond) {
    Map<Endpoint, Integer> active = new HashMap<>();
    double sum = 0;
    for (TrafficGroup group : groups) {
      if (group.lasting() && group.lastsThrough(window)) {
        for (Flow other : group.flows()) {
          if (active.merge(other.source(), 1, Integer::sum) == 1) {
            sum += weight(other.source(), window.fromNanos());
          }
        }
      }
    }
    double own = weight(flow.source(), window.fromNanos());
    int siblings = active.getOrDefault(flow.source(), 1);
    return capacityBitsPerSecond * own / Math.max(sum, own) / siblings / 1e6;
  }

  private double weight(Endpoint endpoint, long atNanos) {
    double weight = 1;
    for (WeightChange change : weights.getOrDefault(endpoint, List.of())) {
      weight = change.atNanos() <= atNanos ? change.weight() : weight;
    }
    return weight;
  }
}

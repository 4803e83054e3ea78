// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.topology;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.sluice.api.PortId;
import org.sluice.core.spi.PathShare;
import org.sluice.forwarding.spi.Link;

/**
 * All shortest paths, by hops, of one state of the topology. Links may be uncertain: they are taken
 * from where no others lead to a destination. Immutable but for a cache; safe for any thread.
 */
public final class ShortestPaths {
  /** The links of a graph, and how far its switches are from each other. */
  private static final class Graph {
    private final Map<String, Map<Long, String>> neighbours = new HashMap<>();
    private final Map<String, Set<String>> upstream = new HashMap<>();
    private final Map<String, Map<String, Integer>> distances = new ConcurrentHashMap<>();

    private void add(Link link) {
      PortId from = link.from();
      String to = link.to().datapath();
      neighbours.computeIfAbsent(from.datapath(), d -> new TreeMap<>()).put(from.number(), to);
      upstream.computeIfAbsent(to, d -> new TreeSet<>()).add(from.datapath());
    }

    private int distance(String from, String to) {
      return distances.computeIfAbsent(to, this::distancesTo).getOrDefault(from, -1);
    }

    private Map<String, Integer> distancesTo(String destination) {
      Map<String, Integer> found = new HashMap<>();
      found.put(destination, 0);
      Queue<String> toVisit = new ArrayDeque<>(List.of(destination));
      while (!toVisit.isEmpty()) {
        String datapath = toVisit.remove();
        int distance = found.get(datapath) + 1;
        for (String farther : upstream.getOrDefault(datapath, Collections.emptySet())) {
          if (found.putIfAbsent(farther, distance) == null) {
            toVisit.add(farther);
          }
        }
      }
      return Map.copyOf(found);
    }
  }

  private final Graph certain = new Graph();
  private final Graph all;

  /**
   * The paths over these links.
   *
   * @param links one per direction
   * @param uncertain likewise; only where the others do not lead to a destination
   */
  public ShortestPaths(Collection<Link> links, Collection<Link> uncertain) {
    links.forEach(certain::add);
    if (uncertain.isEmpty()) {
      all = certain;
    } else {
      all = new Graph();
      uncertain.forEach(all::add);
      links.forEach(all::add);
    }
  }

  /** The graph by which a switch sends to another: a switch on the way is never led back. */
  private Graph between(String from, String to) {
    return certain.distance(from, to) >= 0 ? certain : all;
  }

  /** Hops between two switches; -1 if there is no path. */
  public int distance(String from, String to) {
    return between(from, to).distance(from, to);
  }

  /** The ports of a switch that lie on a shortest path to another one, by number. */
  public List<Long> nextHops(String from, String to) {
    Graph graph = between(from, to);
    int distance = graph.distance(from, to);
    if (distance <= 0) {
      return List.of();
    }
    List<Long> ports = new ArrayList<>();
    graph
        .neighbours
        .getOrDefault(from, Collections.emptyMap())
        .forEach(
            (port, neighbour) -> {
              if (graph.distance(neighbour, to) == distance - 1) {
                ports.add(port);
              }
            });
    return ports;
  }

  /** The switch that a port on a path leads to. */
  public String neighbour(String datapath, long port) {
    return all.neighbours.get(datapath).get(port);
  }

  /**
   * The egress ports between two switches, most upstream first, when every switch spreads evenly
   * over its next hops; empty if they are the same switch or there is no path.
   */
  public List<PathShare> shares(String from, String to) {
    Map<PortId, Double> crossed = new LinkedHashMap<>();
    Map<String, Double> arriving = Map.of(from, 1.0);
    while (!arriving.isEmpty()) {
      Map<String, Double> next = new LinkedHashMap<>();
      arriving.forEach(
          (datapath, fraction) -> {
            List<Long> ports = nextHops(datapath, to);
            for (Long port : ports) {
              double part = fraction / ports.size();
              crossed.merge(PortId.of(datapath, port), part, Double::sum);
              next.merge(neighbour(datapath, port), part, Double::sum);
            }
          });
      arriving = next;
    }
    List<PathShare> shares = new ArrayList<>();
    // Sums of thirds may exceed one by a rounding error.
    crossed.forEach((egress, fraction) -> shares.add(PathShare.of(egress, Math.min(1, fraction))));
    return shares;
  }
}

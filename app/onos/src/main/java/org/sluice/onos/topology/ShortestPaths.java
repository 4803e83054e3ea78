// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.topology;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.DeviceId;
import org.onosproject.net.Link;
import org.onosproject.net.PortNumber;

/**
 * All shortest paths, by hops, of one state of the topology. Links may be uncertain: they are taken
 * from where no others lead to a destination. Immutable but for a cache; safe for any thread.
 */
public final class ShortestPaths {
  private static final Comparator<PortNumber> BY_NUMBER =
      Comparator.comparingLong(PortNumber::toLong);

  /** An egress port and which part of the traffic between two switches crosses it. */
  public static final class Share {
    private final ConnectPoint egress;
    private final double fraction;

    private Share(ConnectPoint egress, double fraction) {
      this.egress = egress;
      this.fraction = fraction;
    }

    public ConnectPoint egress() {
      return egress;
    }

    /** Above 0, at most 1. */
    public double fraction() {
      return fraction;
    }

    @Override
    public String toString() {
      return egress + " x " + fraction;
    }
  }

  /** The links of a graph, and how far its switches are from each other. */
  private static final class Graph {
    private final Map<DeviceId, Map<PortNumber, DeviceId>> neighbours = new HashMap<>();
    private final Map<DeviceId, Set<DeviceId>> upstream = new HashMap<>();
    private final Map<DeviceId, Map<DeviceId, Integer>> distances = new ConcurrentHashMap<>();

    private void add(Link link) {
      ConnectPoint from = link.src();
      DeviceId to = link.dst().deviceId();
      neighbours
          .computeIfAbsent(from.deviceId(), d -> new TreeMap<>(BY_NUMBER))
          .put(from.port(), to);
      upstream.computeIfAbsent(to, d -> new TreeSet<>(BY_NAME)).add(from.deviceId());
    }

    private int distance(DeviceId from, DeviceId to) {
      return distances.computeIfAbsent(to, this::distancesTo).getOrDefault(from, -1);
    }

    private Map<DeviceId, Integer> distancesTo(DeviceId destination) {
      Map<DeviceId, Integer> found = new HashMap<>();
      found.put(destination, 0);
      Queue<DeviceId> toVisit = new ArrayDeque<>(List.of(destination));
      while (!toVisit.isEmpty()) {
        DeviceId device = toVisit.remove();
        int distance = found.get(device) + 1;
        for (DeviceId farther : upstream.getOrDefault(device, Collections.emptySet())) {
          if (found.putIfAbsent(farther, distance) == null) {
            toVisit.add(farther);
          }
        }
      }
      return Map.copyOf(found);
    }
  }

  private static final Comparator<DeviceId> BY_NAME = Comparator.comparing(DeviceId::toString);

  private final Graph certain = new Graph();
  private final Graph all;

  /**
   * The paths over these links.
   *
   * @param links one per direction
   * @param uncertain likewise; only where the others do not lead to a destination
   */
  public ShortestPaths(Collection<? extends Link> links, Collection<? extends Link> uncertain) {
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
  private Graph between(DeviceId from, DeviceId to) {
    return certain.distance(from, to) >= 0 ? certain : all;
  }

  /** Hops between two switches; -1 if there is no path. */
  public int distance(DeviceId from, DeviceId to) {
    return between(from, to).distance(from, to);
  }

  /** The ports of a switch that lie on a shortest path to another one, by number. */
  public List<PortNumber> nextHops(DeviceId from, DeviceId to) {
    Graph graph = between(from, to);
    int distance = graph.distance(from, to);
    if (distance <= 0) {
      return List.of();
    }
    List<PortNumber> ports = new ArrayList<>();
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
  public DeviceId neighbour(DeviceId device, PortNumber port) {
    return all.neighbours.get(device).get(port);
  }

  /**
   * The egress ports between two switches, most upstream first, when every switch spreads evenly
   * over its next hops; empty if they are the same switch or there is no path.
   */
  public List<Share> shares(DeviceId from, DeviceId to) {
    Map<ConnectPoint, Double> crossed = new LinkedHashMap<>();
    Map<DeviceId, Double> arriving = Map.of(from, 1.0);
    while (!arriving.isEmpty()) {
      Map<DeviceId, Double> next = new LinkedHashMap<>();
      arriving.forEach(
          (device, fraction) -> {
            List<PortNumber> ports = nextHops(device, to);
            for (PortNumber port : ports) {
              double part = fraction / ports.size();
              crossed.merge(new ConnectPoint(device, port), part, Double::sum);
              next.merge(neighbour(device, port), part, Double::sum);
            }
          });
      arriving = next;
    }
    List<Share> shares = new ArrayList<>();
    crossed.forEach((egress, fraction) -> shares.add(new Share(egress, fraction)));
    return shares;
  }
}

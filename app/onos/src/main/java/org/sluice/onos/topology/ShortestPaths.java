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
 * All shortest paths, by hops, of one state of the topology. Immutable but for a cache; safe for
 * any thread.
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

  private final Map<DeviceId, Map<PortNumber, DeviceId>> neighbours = new HashMap<>();
  private final Map<DeviceId, Set<DeviceId>> upstream = new HashMap<>();
  private final Map<DeviceId, Map<DeviceId, Integer>> distances = new ConcurrentHashMap<>();

  /**
   * The paths over these links.
   *
   * @param links one per direction
   */
  public ShortestPaths(Collection<? extends Link> links) {
    for (Link link : links) {
      ConnectPoint from = link.src();
      DeviceId to = link.dst().deviceId();
      neighbours
          .computeIfAbsent(from.deviceId(), d -> new TreeMap<>(BY_NUMBER))
          .put(from.port(), to);
      upstream.computeIfAbsent(to, d -> new TreeSet<>(BY_NAME)).add(from.deviceId());
    }
  }

  private static final Comparator<DeviceId> BY_NAME = Comparator.comparing(DeviceId::toString);

  /** Hops between two switches; -1 if there is no path. */
  public int distance(DeviceId from, DeviceId to) {
    return distances.computeIfAbsent(to, this::distancesTo).getOrDefault(from, -1);
  }

  /** The ports of a switch that lie on a shortest path to another one, by number. */
  public List<PortNumber> nextHops(DeviceId from, DeviceId to) {
    int distance = distance(from, to);
    if (distance <= 0) {
      return List.of();
    }
    List<PortNumber> ports = new ArrayList<>();
    neighbours
        .getOrDefault(from, Collections.emptyMap())
        .forEach(
            (port, neighbour) -> {
              if (distance(neighbour, to) == distance - 1) {
                ports.add(port);
              }
            });
    return ports;
  }

  /**
   * The egress ports between two switches, most upstream first, when every switch spreads evenly
   * over its next hops; empty if they are the same switch or there is no path.
   */
  public List<Share> shares(DeviceId from, DeviceId to) {
    int distance = distance(from, to);
    List<Share> shares = new ArrayList<>();
    Map<DeviceId, Double> arriving = Map.of(from, 1.0);
    for (int left = distance; left > 0; left--) {
      Map<DeviceId, Double> next = new LinkedHashMap<>();
      arriving.forEach(
          (device, fraction) -> {
            List<PortNumber> ports = nextHops(device, to);
            for (PortNumber port : ports) {
              double part = fraction / ports.size();
              shares.add(new Share(new ConnectPoint(device, port), part));
              next.merge(neighbours.get(device).get(port), part, Double::sum);
            }
          });
      arriving = next;
    }
    return shares;
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

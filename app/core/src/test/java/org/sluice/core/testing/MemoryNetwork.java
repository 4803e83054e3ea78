// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.testing;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.Tenant;
import org.sluice.core.spi.Attachments;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.ForwardingState;
import org.sluice.core.spi.HostSightings;
import org.sluice.core.spi.Inventory;
import org.sluice.core.spi.OperatorConfiguration;
import org.sluice.core.spi.PathShare;
import org.sluice.core.spi.SwitchPort;
import org.sluice.core.spi.Switches;
import org.sluice.core.spi.Topology;

/**
 * A small network in memory, with the cluster that controls it: switches, links, hosts behind edge
 * ports, and what an operator configured. {@link MemoryNode} is a controller node on it. Switches
 * are named s1, s2, ..., their ports s1/5.
 */
public final class MemoryNetwork
    implements Switches,
        Topology,
        Attachments,
        HostSightings,
        ForwardingState,
        OperatorConfiguration {
  private static final long PORT_BITS_PER_SECOND = 1_000_000_000;

  public final VirtualTime time = new VirtualTime();
  public final MemoryCluster cluster = new MemoryCluster(time);
  public final MemoryStorage storage = cluster.storage;

  private final Map<String, TreeMap<Long, Long>> switches = new TreeMap<>();
  private final Set<String> away = new TreeSet<>();
  private final Map<PortId, String> names = new HashMap<>();
  private final TreeMap<PortId, PortId> peers = new TreeMap<>();

  /** By switch: how many hops all others are away; until a wire changes. */
  private final Map<String, Map<String, Integer>> distancesTo = new HashMap<>();

  private final Map<IpAddress, PortId> attachments = new HashMap<>();
  private final Map<MacAddress, Sighting> sightings = new LinkedHashMap<>();
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private final Map<PortId, Long> capacities = new HashMap<>();
  private List<Tenant> tenants = List.of();
  private Inventory inventory = Inventory.EMPTY;
  private boolean forwards = true;
  private boolean spreads = true;
  private final Epoch epoch = new Epoch();
  private final Epoch tenantsEpoch = new Epoch();

  // ------------------------------------------------------------ what a test does

  /** A switch connects, with ports that are up. */
  public MemoryNetwork connect(String name, long... ports) {
    TreeMap<Long, Long> up = new TreeMap<>();
    for (long port : ports) {
      up.put(port, PORT_BITS_PER_SECOND);
    }
    switches.put(Samples.datapath(name), up);
    away.remove(Samples.datapath(name));
    epoch.advance();
    return this;
  }

  /** A switch loses its connection. */
  public void disconnect(String name) {
    away.add(Samples.datapath(name));
    switches.remove(Samples.datapath(name));
    epoch.advance();
  }

  /** A port reports another speed; 0: it reports none. */
  public void setSpeed(String port, long bitsPerSecond) {
    PortId id = Samples.port(port);
    switches.get(id.datapath()).put(id.number(), bitsPerSecond);
    epoch.advance();
  }

  /** A port gets a name, with its switch's. */
  public void setName(String port, String name) {
    names.put(Samples.port(port), name);
    epoch.advance();
  }

  /** Two ports are wired to each other. */
  public MemoryNetwork link(String one, String other) {
    peers.put(Samples.port(one), Samples.port(other));
    peers.put(Samples.port(other), Samples.port(one));
    distancesTo.clear();
    epoch.advance();
    return this;
  }

  /** The wire between two ports is torn out. */
  public void cut(String one, String other) {
    peers.remove(Samples.port(one));
    peers.remove(Samples.port(other));
    distancesTo.clear();
    epoch.advance();
  }

  /** A host is seen behind a port. */
  public void seen(String mac, String port, String... ips) {
    Sighting sighting =
        Sighting.of(MacAddress.parse(mac), Samples.addresses(ips), Samples.port(port));
    sightings.put(sighting.mac(), sighting);
    listeners.forEach(listener -> listener.seen(sighting));
  }

  /** A host is not there any longer. */
  public void gone(String mac) {
    Sighting sighting = sightings.remove(MacAddress.parse(mac));
    listeners.forEach(listener -> listener.gone(sighting));
  }

  /** An operator configures a port's capacity. */
  public void setCapacity(String port, long bitsPerSecond) {
    capacities.put(Samples.port(port), bitsPerSecond);
    epoch.advance();
  }

  /** An operator takes a port's capacity out of the configuration. */
  public void clearCapacity(String port) {
    capacities.remove(Samples.port(port));
    epoch.advance();
  }

  /** An operator writes tenants into the configuration. */
  public void setTenants(Tenant... all) {
    tenants = List.of(all);
    tenantsEpoch.advance();
  }

  /** An operator writes down whose addresses are. */
  public void setInventory(Inventory now) {
    inventory = now;
    epoch.advance();
  }

  /** Sluice forwards, or somebody else does. */
  public void setForwarding(boolean own, boolean spreadsFlows) {
    forwards = own;
    spreads = spreadsFlows;
    epoch.advance();
  }

  /** A node becomes the master of a switch; null: none is. */
  public void setMaster(String switchName, String node) {
    cluster.give(Samples.datapath(switchName), node);
  }

  /** A node becomes the leader of a topic. */
  public void elect(String topic, String node) {
    cluster.give(topic, node);
  }

  /** The node that leads a topic. */
  public Optional<String> leaderOf(String topic) {
    return cluster.holderOf(topic);
  }

  // ------------------------------------------------------------ what nodes see

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Collection<String> connected() {
    return new TreeSet<>(switches.keySet());
  }

  @Override
  public Collection<String> known() {
    Set<String> all = new TreeSet<>(switches.keySet());
    all.addAll(away);
    return all;
  }

  @Override
  public String name(String datapath) {
    return "switch " + datapath.substring(datapath.length() - 1);
  }

  @Override
  public boolean isConnected(String datapath) {
    return switches.containsKey(datapath);
  }

  @Override
  public Collection<SwitchPort> ports(String datapath) {
    return switches.getOrDefault(datapath, new TreeMap<>()).entrySet().stream()
        .map(port -> port(PortId.of(datapath, port.getKey()), port.getValue()))
        .collect(Collectors.toList());
  }

  /** A switch that is away has kept all of them. */
  @Override
  public boolean hasPort(PortId port) {
    return away.contains(port.datapath())
        || switches.getOrDefault(port.datapath(), new TreeMap<>()).containsKey(port.number());
  }

  private SwitchPort port(PortId id, long speedBitsPerSecond) {
    SwitchPort port = SwitchPort.of(id, speedBitsPerSecond);
    return names.containsKey(id) ? port.named(names.get(id)) : port;
  }

  @Override
  public Map<PortId, PortId> peers() {
    return new TreeMap<>(peers);
  }

  @Override
  public boolean isInterSwitch(PortId port) {
    return peers.containsKey(port);
  }

  /** Hops from each switch to one. */
  private Map<String, Integer> distances(String to) {
    return distancesTo.computeIfAbsent(to, this::search);
  }

  private Map<String, Integer> search(String to) {
    Map<String, Integer> distances = new HashMap<>();
    Deque<String> queue = new ArrayDeque<>(List.of(to));
    distances.put(to, 0);
    while (!queue.isEmpty()) {
      String at = queue.poll();
      peersOf(at)
          .values()
          .forEach(
              peer -> {
                if (distances.putIfAbsent(peer.datapath(), distances.get(at) + 1) == null) {
                  queue.add(peer.datapath());
                }
              });
    }
    return distances;
  }

  /** Wires lead both ways. */
  private Map<PortId, PortId> peersOf(String datapath) {
    return peers.subMap(PortId.of(datapath, 0), true, PortId.of(datapath, 0xffff_ffffL), true);
  }

  private List<PortId> nextHops(String from, Map<String, Integer> distances) {
    List<PortId> found = new ArrayList<>();
    int own = distances.getOrDefault(from, Integer.MAX_VALUE);
    peersOf(from)
        .forEach(
            (port, peer) -> {
              if (distances.getOrDefault(peer.datapath(), Integer.MAX_VALUE) < own) {
                found.add(port);
              }
            });
    return found;
  }

  @Override
  public List<PathShare> equalCostPaths(String fromDatapath, String toDatapath) {
    Map<String, Integer> distances = distances(toDatapath);
    Map<PortId, Double> shares = new LinkedHashMap<>();
    spread(fromDatapath, toDatapath, 1, distances, shares);
    List<PathShare> found = new ArrayList<>();
    shares.forEach((port, share) -> found.add(PathShare.of(port, Math.min(1, share))));
    return found;
  }

  private void spread(
      String at,
      String to,
      double share,
      Map<String, Integer> distances,
      Map<PortId, Double> into) {
    List<PortId> hops = at.equals(to) ? List.of() : nextHops(at, distances);
    for (PortId hop : hops) {
      into.merge(hop, share / hops.size(), Double::sum);
      spread(peers.get(hop).datapath(), to, share / hops.size(), distances, into);
    }
  }

  /** By the first of equal-cost ports. */
  @Override
  public List<PortId> routedPath(String fromDatapath, String toDatapath, IpAddress destination) {
    Map<String, Integer> distances = distances(toDatapath);
    List<PortId> path = new ArrayList<>();
    for (String at = fromDatapath; !at.equals(toDatapath); ) {
      List<PortId> hops = nextHops(at, distances);
      if (hops.isEmpty()) {
        return List.of();
      }
      path.add(hops.get(0));
      at = peers.get(hops.get(0)).datapath();
    }
    return path;
  }

  @Override
  public Optional<PortId> locate(IpAddress ip) {
    return Optional.ofNullable(attachments.get(ip));
  }

  @Override
  public void learn(IpAddress ip, PortId port) {
    if (!isInterSwitch(port) && !port.equals(attachments.put(ip, port))) {
      epoch.advance();
    }
  }

  @Override
  public void forget(IpAddress ip) {
    if (attachments.remove(ip) != null) {
      epoch.advance();
    }
  }

  @Override
  public Collection<Sighting> all() {
    return new ArrayList<>(sightings.values());
  }

  @Override
  public Collection<Sighting> of(MacAddress mac) {
    return sightings.containsKey(mac) ? List.of(sightings.get(mac)) : List.of();
  }

  @Override
  public void addListener(Listener listener) {
    listeners.add(listener);
  }

  @Override
  public void removeListener(Listener listener) {
    listeners.remove(listener);
  }

  @Override
  public boolean own() {
    return forwards;
  }

  @Override
  public boolean spreadsFlows() {
    return spreads;
  }

  @Override
  public Map<PortId, Long> capacitiesBitsPerSecond() {
    return new HashMap<>(capacities);
  }

  @Override
  public Inventory inventory() {
    return inventory;
  }

  @Override
  public Epoch tenantsEpoch() {
    return tenantsEpoch;
  }

  @Override
  public List<Tenant> tenants() {
    return tenants;
  }
}

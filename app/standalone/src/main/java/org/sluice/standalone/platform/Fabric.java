// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.platform;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.link.UplinkHandler;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.runtime.CoalescedTask;
import org.sluice.core.runtime.Execution;
import org.sluice.core.spi.Attachments;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.ForwardingState;
import org.sluice.core.spi.HostSightings;
import org.sluice.core.spi.PathShare;
import org.sluice.core.spi.StorageUnavailableException;
import org.sluice.core.spi.SwitchPort;
import org.sluice.core.spi.Switches;
import org.sluice.core.spi.Topology;
import org.sluice.forwarding.spi.Link;
import org.sluice.forwarding.topology.ShortestPaths;
import org.sluice.standalone.config.FabricLayout;

/**
 * The network between hosts, as agents report it: one big switch with a port for each host, or the
 * switches and links that an operator wrote down. Nobody else says where an address is: what a host
 * holds is behind the host's port. Thread-safe.
 */
public final class Fabric
    implements Switches, Topology, ForwardingState, Attachments, HostSightings, UplinkHandler {
  private static final Logger log = LoggerFactory.getLogger(Fabric.class);
  private static final String BIG_SWITCH = "of:0000000000000001";
  private static final String BIG_SWITCH_NAME = "fabric";
  private static final FabricLayout ONE_SWITCH =
      new FabricLayout(Map.of(BIG_SWITCH, BIG_SWITCH_NAME), Map.of(), Map.of(), Map.of());
  private static final long RETRY_SECONDS = 5;

  private final PortNumbers numbers;
  private final Execution execution;
  private final Epoch epoch = new Epoch();
  private final Map<HostId, HostHello> hosts = new ConcurrentHashMap<>();
  private final Runnable followSoon =
      new CoalescedTask(command -> this.executor.execute(command), this::follow);
  private ScheduledExecutorService executor;
  private AgentLink link;
  private ReportedEndpoints endpoints;

  /** Empty: one big switch. */
  private volatile Optional<FabricLayout> written;

  private volatile State state = new State(ONE_SWITCH, Map.of());
  private volatile Map<IpAddress, PortId> attachments = Map.of();
  private volatile Map<MacAddress, List<Sighting>> sightings = Map.of();

  /** The fabric at one moment. */
  private static final class State {
    final FabricLayout layout;
    final ShortestPaths paths;
    final Map<HostId, PortId> places;

    /** By port of a link or of a host that has connected, bit/s. */
    final Map<PortId, Long> capacities;

    State(FabricLayout layout, Map<HostId, Long> capacities) {
      this(layout, layout.hosts(), capacities);
    }

    State(FabricLayout layout, Map<HostId, PortId> places, Map<HostId, Long> hostCapacities) {
      this.layout = layout;
      this.places = places;
      List<Link> links = new ArrayList<>();
      layout.links().forEach((from, to) -> links.add(Link.of(from, to)));
      paths = new ShortestPaths(links, List.of());
      capacities = new TreeMap<>(layout.capacitiesBitsPerSecond());
      hostCapacities.forEach(
          (host, capacity) -> {
            if (places.containsKey(host)) {
              capacities.put(places.get(host), capacity);
            }
          });
    }

    boolean sameAs(State other) {
      return layout.equals(other.layout)
          && places.equals(other.places)
          && capacities.equals(other.capacities);
    }
  }

  /**
   * A fabric without hosts yet.
   *
   * @param written empty: one big switch
   */
  public Fabric(Cluster cluster, Optional<FabricLayout> written, Execution execution) {
    numbers = new PortNumbers(cluster.storage());
    this.written = written;
    this.execution = execution;
  }

  /** Follows what agents report from now on. */
  public void start(AgentLink link, ReportedEndpoints endpoints) {
    this.link = link;
    this.endpoints = endpoints;
    executor = execution.sequential("fabric");
    link.addListener(this);
    endpoints.epoch().addListener(followSoon);
    executor.scheduleWithFixedDelay(this::follow, 0, RETRY_SECONDS, SECONDS);
  }

  public void stop() {
    endpoints.epoch().removeListener(followSoon);
    link.removeListener(this);
    executor.shutdownNow();
  }

  /** An operator has wired it otherwise. */
  public void rewire(Optional<FabricLayout> now) {
    written = now;
    followSoon.run();
  }

  /** Hosts with endpoints that stand in no topology file although there is one. */
  Set<HostId> misplaced() {
    State now = state;
    Set<HostId> missing = new TreeSet<>(written.isEmpty() ? Set.of() : hosts.keySet());
    missing.removeAll(now.places.keySet());
    return missing;
  }

  /** Capacities of ports as agents or the operator wrote them down, bit/s. */
  Map<PortId, Long> capacitiesBitsPerSecond() {
    return state.capacities;
  }

  @Override
  public void sessionOpened(HostHello hello) {
    if (hello.uplinkCapacityBitsPerSecond() > 0) {
      hosts.put(hello.host(), hello);
      followSoon.run();
    }
  }

  private void follow() {
    try {
      followHosts();
      followEndpoints();
    } catch (RuntimeException e) {
      log.error("A change of the fabric could not be handled; retrying in some seconds", e);
    }
  }

  private void followHosts() {
    Map<HostId, Long> capacities = new HashMap<>();
    hosts.forEach((host, hello) -> capacities.put(host, hello.uplinkCapacityBitsPerSecond()));
    State now =
        written
            .map(layout -> new State(layout, capacities))
            .orElseGet(() -> new State(ONE_SWITCH, numbered(), capacities));
    if (!now.sameAs(state)) {
      state = now;
      epoch.advance();
    }
  }

  private Map<HostId, PortId> numbered() {
    List<HostId> without = new ArrayList<>();
    for (HostId host : new TreeSet<>(hosts.keySet())) {
      if (numbers.of(host).isEmpty()) {
        without.add(host);
      }
    }
    if (!without.isEmpty()) {
      try {
        numbers.give(without);
      } catch (StorageUnavailableException e) {
        log.warn("{} get ports once the storage is available again: {}", without, e.toString());
      }
    }
    Map<HostId, PortId> places = new HashMap<>();
    for (HostId host : hosts.keySet()) {
      numbers.of(host).ifPresent(n -> places.put(host, PortId.of(BIG_SWITCH, n)));
    }
    return places;
  }

  private void followEndpoints() {
    State now = state;
    Map<IpAddress, PortId> at = new HashMap<>();
    Map<MacAddress, List<Sighting>> seen = new LinkedHashMap<>();
    hosts.forEach((host, hello) -> see(seen, now, host, hello.uplinkMac(), Set.of()));
    for (ReportedEndpoint endpoint : endpoints.reported()) {
      HostId host = endpoint.id().host();
      see(seen, now, host, endpoint.mac(), endpoint.ips());
      if (now.places.containsKey(host)) {
        endpoint.ips().forEach(ip -> at.put(ip, now.places.get(host)));
      }
    }
    sightings = seen;
    if (!at.equals(attachments)) {
      attachments = at;
      epoch.advance();
    }
  }

  private static void see(
      Map<MacAddress, List<Sighting>> seen,
      State now,
      HostId host,
      MacAddress mac,
      Set<IpAddress> ips) {
    PortId port = now.places.get(host);
    if (port != null) {
      seen.computeIfAbsent(mac, m -> new ArrayList<>()).add(Sighting.of(mac, ips, port));
    }
  }

  // ---------------------------------------------------------------- switches and links

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Collection<String> connected() {
    return state.layout.switches().keySet();
  }

  @Override
  public Collection<String> known() {
    return connected();
  }

  @Override
  public String name(String datapath) {
    return state.layout.switches().getOrDefault(datapath, datapath);
  }

  @Override
  public boolean isConnected(String datapath) {
    return state.layout.switches().containsKey(datapath);
  }

  @Override
  public Collection<SwitchPort> ports(String datapath) {
    List<SwitchPort> ports = new ArrayList<>();
    state.capacities.forEach(
        (port, capacity) -> {
          if (port.datapath().equals(datapath)) {
            ports.add(SwitchPort.of(port, capacity).named(name(datapath) + ":" + port.number()));
          }
        });
    return ports;
  }

  @Override
  public boolean hasPort(PortId port) {
    State now = state;
    return now.capacities.containsKey(port) || now.places.containsValue(port);
  }

  @Override
  public Map<PortId, PortId> peers() {
    return state.layout.links();
  }

  @Override
  public boolean isInterSwitch(PortId port) {
    return peers().containsKey(port);
  }

  @Override
  public List<PathShare> equalCostPaths(String fromDatapath, String toDatapath) {
    return state.paths.shares(fromDatapath, toDatapath);
  }

  @Override
  public List<PortId> routedPath(String fromDatapath, String toDatapath, IpAddress destination) {
    throw new IllegalStateException("nobody here chooses a path for a destination");
  }

  @Override
  public boolean own() {
    return false;
  }

  @Override
  public boolean spreadsFlows() {
    return true;
  }

  // ---------------------------------------------------------------- where addresses are

  @Override
  public Optional<PortId> locate(IpAddress ip) {
    return Optional.ofNullable(attachments.get(ip));
  }

  /** Agents alone say where an address is. */
  @Override
  public void learn(IpAddress ip, PortId port) {}

  @Override
  public void forget(IpAddress ip) {}

  @Override
  public Collection<Sighting> all() {
    List<Sighting> all = new ArrayList<>();
    sightings.values().forEach(all::addAll);
    return all;
  }

  @Override
  public Collection<Sighting> of(MacAddress mac) {
    return sightings.getOrDefault(mac, List.of());
  }

  /** Where addresses are is followed without: {@link #locate}. */
  @Override
  public void addListener(Listener listener) {}

  @Override
  public void removeListener(Listener listener) {}
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.topology;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static java.util.stream.Collectors.toSet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.core.runtime.Execution;
import org.sluice.core.spi.ClusterNodes;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.Mastership;
import org.sluice.core.spi.PathShare;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.StorageUnavailableException;
import org.sluice.core.spi.SwitchPort;
import org.sluice.core.spi.Switches;
import org.sluice.core.spi.Topology;
import org.sluice.forwarding.spi.ForwardingPlatform;
import org.sluice.forwarding.spi.Link;
import org.sluice.forwarding.spi.LinkDiscovery;

/**
 * The switches' side of the network as Sluice sees it now, over restarts too. Links of which an end
 * is an edge port for certain do not count.
 */
public final class LinkTopology implements Topology {
  private static final Logger log = LoggerFactory.getLogger(LinkTopology.class);
  private static final String STORE = "sluice-links";

  /** Discovery reports links one by one; paths are made anew once for a handful of them. */
  private static final long SETTLE_MILLIS = 20;

  private final Switches switches;
  private final LinkDiscovery links;
  private final ReplicatedStorage storage;
  private final ClusterNodes nodes;
  private final ProvenEdge proofs;
  private final Execution execution;
  private final Epoch epoch = new Epoch();
  private final LinkMemory memory = new LinkMemory();
  private final Mastership mastership;

  /** When discovery was disturbed last, by each available switch. */
  private final Map<String, Long> disturbed = new HashMap<>();

  private final Map<String, Long> takeovers = new HashMap<>();
  private long mastershipEpoch = -1;
  private final Runnable listener = this::refreshSoon;

  private ScheduledExecutorService executor;
  private ReplicatedMap store;
  private Set<String> lastStored = Set.of();
  private Set<String> lastLinks = Set.of();
  private volatile ShortestPaths paths = new ShortestPaths(Set.of(), Set.of());
  private volatile Set<PortId> interSwitchPorts = Set.of();
  private volatile Map<PortId, PortId> peers = Map.of();
  private volatile Map<PortId, PortId> refused = Map.of();

  /** The topology of a platform that discovers links. */
  public LinkTopology(ForwardingPlatform platform, ProvenEdge proofs, Execution execution) {
    switches = platform.switches();
    mastership = platform.mastership();
    links = platform.links();
    storage = platform.storage();
    nodes = platform.nodes();
    this.proofs = proofs;
    this.execution = execution;
  }

  public void start() {
    executor = execution.sequential("topology");
    store = storage.map(STORE);
    restore();
    links.epoch().addListener(listener);
    switches.epoch().addListener(listener);
    proofs.epoch().addListener(listener);
    executor.execute(this::refresh);
    // The grace of remembered links ends without an event.
    executor.scheduleWithFixedDelay(this::refresh, 1, 1, SECONDS);
  }

  public void stop() {
    proofs.epoch().removeListener(listener);
    switches.epoch().removeListener(listener);
    links.epoch().removeListener(listener);
    executor.shutdownNow();
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  public ShortestPaths paths() {
    return paths;
  }

  /**
   * Ports on which packets arrive from, or leave for, another switch, or did a short while ago:
   * discovery may miss a link for some seconds.
   */
  public Set<PortId> interSwitchPorts() {
    return interSwitchPorts;
  }

  @Override
  public boolean isInterSwitch(PortId port) {
    return interSwitchPorts.contains(port);
  }

  /** Whether a port's switch is connected, and the port is not up. */
  public boolean isDown(PortId port) {
    return switches.isConnected(port.datapath())
        && switches.ports(port.datapath()).stream().noneMatch(each -> each.id().equals(port));
  }

  @Override
  public Map<PortId, PortId> peers() {
    return peers;
  }

  /**
   * Links that are announced and do not count, since endpoints were found behind one of their ends:
   * by that end.
   */
  public Map<PortId, PortId> refusedLinks() {
    return refused;
  }

  @Override
  public List<PathShare> equalCostPaths(String fromDatapath, String toDatapath) {
    return paths.shares(fromDatapath, toDatapath);
  }

  @Override
  public List<PortId> routedPath(String fromDatapath, String toDatapath, IpAddress destination) {
    ShortestPaths now = paths;
    List<PortId> path = new ArrayList<>();
    for (String at = fromDatapath; !at.equals(toDatapath); ) {
      List<Long> ports = now.nextHops(at, toDatapath);
      if (ports.isEmpty()) {
        return List.of();
      }
      long port = NextHopHash.chosen(at, destination, ports);
      path.add(PortId.of(at, port));
      at = now.neighbour(at, port);
    }
    return path;
  }

  private void refreshSoon() {
    executor.schedule(this::refresh, SETTLE_MILLIS, MILLISECONDS);
  }

  private void refresh() {
    try {
      doRefresh();
    } catch (RuntimeException e) {
      log.error("A change of topology could not be handled", e);
    }
  }

  private void doRefresh() {
    long now = execution.clock().nanoTime();
    Set<String> available = new HashSet<>(switches.connected());
    available.forEach(datapath -> disturbed.putIfAbsent(datapath, now));
    disturbed.keySet().retainAll(available);
    followMasters(now);
    Set<PortId> edge = proofs.ports();
    Set<Link> discovered = new HashSet<>();
    Map<PortId, PortId> refusedNow = new HashMap<>();
    for (Link link : links.links()) {
      if (edge.contains(link.from())) {
        refusedNow.put(link.from(), link.to());
      } else if (edge.contains(link.to())) {
        refusedNow.put(link.to(), link.from());
      } else if (available.contains(link.from().datapath())
          && available.contains(link.to().datapath())) {
        discovered.add(link);
      }
    }
    follow(refusedNow);
    memory.forget(edge);
    SwitchEvidence evidence = new SwitchEvidence();
    Collection<Link> up = memory.merge(discovered, evidence, now);
    Collection<Link> uncertain = new LinkedHashSet<>(memory.ofSwitchesAway(evidence));
    Collection<Link> recent = memory.recent();
    recent.stream()
        .filter(link -> evidence.isUp(link.from()) && evidence.isUp(link.to()))
        .forEach(uncertain::add);
    uncertain.removeAll(up);
    remember();
    Set<String> described = new TreeSet<>();
    Set<PortId> ports = new HashSet<>();
    Map<PortId, PortId> ends = new HashMap<>();
    Collection<Link> all = new ArrayList<>(uncertain);
    all.addAll(up);
    for (Link link : all) {
      ports.add(link.from());
      ports.add(link.to());
      ends.put(link.from(), link.to());
    }
    for (Link link : recent) {
      ports.add(link.from());
      ports.add(link.to());
    }
    ports.forEach(port -> described.add(port.toString()));
    up.forEach(link -> described.add(link.from() + ">" + link.to()));
    uncertain.forEach(link -> described.add(link.from() + "?" + link.to()));
    described.addAll(available);
    if (!described.equals(lastLinks)) {
      lastLinks = described;
      paths = new ShortestPaths(up, uncertain);
      interSwitchPorts = Set.copyOf(ports);
      peers = Map.copyOf(ends);
      epoch.advance();
    }
  }

  /** Another master has to discover a switch's links anew. */
  private void followMasters(long nowNanos) {
    long epochNow = mastership.epoch().get();
    takeovers.keySet().retainAll(disturbed.keySet());
    for (String datapath : Set.copyOf(disturbed.keySet())) {
      if (epochNow != mastershipEpoch || !takeovers.containsKey(datapath)) {
        long takeover = mastership.takeover(datapath);
        Long before = takeovers.put(datapath, takeover);
        if (before != null && before != takeover) {
          disturbed.put(datapath, nowNanos);
        }
      }
    }
    mastershipEpoch = epochNow;
  }

  private void follow(Map<PortId, PortId> refusedNow) {
    refusedNow.forEach(
        (end, other) -> {
          if (!refused.containsKey(end)) {
            log.warn(
                "Ignored the discovered link from {} to {}: endpoints are behind {}",
                end,
                other,
                end);
          }
        });
    refused = Map.copyOf(refusedNow);
  }

  /** Every node has an entry of its own, so that none undoes what another one has found out. */
  private void restore() {
    try {
      Set<String> all = new TreeSet<>();
      for (String node : nodes.all()) {
        store
            .get(node)
            .map(ReplicatedMap.Versioned::value)
            .filter(text -> !text.isEmpty())
            .ifPresent(text -> all.addAll(Arrays.asList(text.split("\n"))));
      }
      memory.restore(all, execution.clock().nanoTime());
    } catch (StorageUnavailableException e) {
      log.warn("Links found before the restart could not be read: {}", e.toString());
    }
    lastStored = memory.stored();
  }

  private void remember() {
    Set<String> now = memory.stored();
    if (now.equals(lastStored)) {
      return;
    }
    try {
      store.put(nodes.local(), String.join("\n", now));
      lastStored = now;
    } catch (StorageUnavailableException e) {
      log.warn("Links could not be stored for the next restart: {}", e.toString());
    }
  }

  private final class SwitchEvidence implements LinkMemory.Evidence {
    private final Set<String> known = new HashSet<>(switches.known());
    private final Map<String, Set<PortId>> upPorts = new HashMap<>();

    @Override
    public boolean isUp(PortId port) {
      return disturbed.containsKey(port.datapath())
          && upPorts.computeIfAbsent(port.datapath(), this::portsOf).contains(port);
    }

    private Set<PortId> portsOf(String datapath) {
      return switches.ports(datapath).stream().map(SwitchPort::id).collect(toSet());
    }

    @Override
    public long disturbedNanos(String datapath) {
      return Objects.requireNonNull(disturbed.get(datapath));
    }

    @Override
    public boolean isAway(String datapath) {
      return !disturbed.containsKey(datapath) && known.contains(datapath);
    }
  }
}

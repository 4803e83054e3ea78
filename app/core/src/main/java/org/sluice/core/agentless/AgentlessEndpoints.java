// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.agentless;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ScheduledExecutorService;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.registry.EndpointChanges;
import org.sluice.core.registry.EndpointListing;
import org.sluice.core.registry.EndpointLocator;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.runtime.Execution;
import org.sluice.core.spi.Attachments;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.HostSightings;
import org.sluice.core.spi.HostSightings.Sighting;
import org.sluice.core.spi.Topology;

/**
 * All that sends into the network: the endpoints that agents report, and the machines that were
 * seen behind edge ports where no agent reports an endpoint, each with the addresses that it used.
 * Nobody has checked these, so they count as learned.
 */
public final class AgentlessEndpoints implements ReportedEndpoints {
  private static final long CHECK_MILLIS = 500;
  private final ReportedEndpoints agents;
  private final EndpointLocator locator;
  private final HostSightings sightings;
  private final Attachments attachments;
  private final Topology topology;
  private final Execution execution;
  private final EndpointChanges changes = new EndpointChanges();
  private final Runnable agentsListener = this::merge;
  private ScheduledExecutorService executor;
  private volatile Map<EndpointId, PortId> ports = Map.of();
  private volatile EndpointListing all = EndpointListing.EMPTY;

  /** Those without an agent, each with the addresses that no agent's endpoint holds. */
  private final Map<EndpointId, ReportedEndpoint> shown = new ConcurrentSkipListMap<>();

  // Guarded by this:
  private Map<EndpointId, ReportedEndpoint> found = Map.of();
  private final Map<IpAddress, Set<EndpointId>> byIp = new HashMap<>();
  private final Map<EndpointId, ReportedEndpoint> ofAgents = new HashMap<>();
  private long agentsEpoch = -1;
  private long followedEpoch = -1;

  /**
   * One that knows of none without an agent yet.
   *
   * @param agents the endpoints that agents report
   */
  public AgentlessEndpoints(
      ReportedEndpoints agents,
      EndpointLocator locator,
      HostSightings sightings,
      Attachments attachments,
      Topology topology,
      Execution execution) {
    this.agents = agents;
    this.locator = locator;
    this.sightings = sightings;
    this.attachments = attachments;
    this.topology = topology;
    this.execution = execution;
  }

  public void start() {
    agents.epoch().addListener(agentsListener);
    executor = execution.sequential("agentless");
    executor.scheduleWithFixedDelay(this::follow, 0, CHECK_MILLIS, MILLISECONDS);
  }

  public void stop() {
    executor.shutdownNow();
    agents.epoch().removeListener(agentsListener);
  }

  @Override
  public Epoch epoch() {
    return changes.epoch();
  }

  @Override
  public Optional<Set<EndpointId>> changedSince(long epoch) {
    return changes.since(epoch);
  }

  @Override
  public Map<HostId, Long> sessions() {
    return agents.sessions();
  }

  @Override
  public List<ReportedEndpoint> reported() {
    EndpointListing now = all.at(changes.epoch().get(), this::merged);
    all = now;
    return now.endpoints();
  }

  private List<ReportedEndpoint> merged() {
    List<ReportedEndpoint> merged = new ArrayList<>(agents.reported());
    merged.addAll(shown.values());
    merged.sort(Comparator.comparing(ReportedEndpoint::id)); // Two runs in order: linear.
    return merged;
  }

  @Override
  public Optional<ReportedEndpoint> endpoint(EndpointId id) {
    return agents.endpoint(id).or(() -> Optional.ofNullable(shown.get(id)));
  }

  @Override
  public Map<EndpointId, Map<IpAddress, String>> refused() {
    return agents.refused();
  }

  @Override
  public Optional<ReportedEndpoint> holder(IpAddress ip) {
    return agents.holder(ip);
  }

  /** The endpoints without an agent, each with its edge port; half a second old at most. */
  public Map<EndpointId, PortId> ports() {
    return ports;
  }

  private synchronized void follow() {
    long now = agents.epoch().get() + attachments.epoch().get() + topology.epoch().get();
    if (now == followedEpoch) {
      return;
    }
    followedEpoch = now;
    Map<EndpointId, ReportedEndpoint> foundNow = new TreeMap<>();
    Map<EndpointId, PortId> at = new TreeMap<>();
    for (Sighting sighting : find()) {
      ReportedEndpoint endpoint = endpoint(sighting);
      foundNow.put(endpoint.id(), endpoint);
      at.put(endpoint.id(), sighting.port());
    }
    if (!foundNow.equals(found)) {
      Set<EndpointId> changed = new TreeSet<>(found.keySet());
      changed.addAll(foundNow.keySet());
      Map<EndpointId, ReportedEndpoint> before = found;
      changed.removeIf(id -> Objects.equals(before.get(id), foundNow.get(id)));
      found = foundNow;
      byIp.clear();
      found.forEach(
          (id, endpoint) ->
              endpoint.ips().forEach(ip -> byIp.computeIfAbsent(ip, i -> new TreeSet<>()).add(id)));
      ports = Map.copyOf(at);
      changed.forEach(this::show);
      changes.advance(changed);
    }
  }

  /** Machines that nobody reports. */
  private List<Sighting> find() {
    Set<PortId> managed = new HashSet<>();
    agents.reported().forEach(each -> locator.locate(each).ifPresent(managed::add));
    List<Sighting> found = new ArrayList<>();
    for (Sighting sighting : sightings.all()) {
      PortId port = sighting.port();
      Set<IpAddress> ips = new HashSet<>(sighting.ips());
      ips.removeIf(ip -> !attachments.locate(ip).equals(Optional.of(port)));
      if (!ips.isEmpty() && !managed.contains(port) && !topology.isInterSwitch(port)) {
        found.add(Sighting.of(sighting.mac(), ips, port));
      }
    }
    found.sort(Comparator.comparing(Sighting::mac));
    return found;
  }

  private static ReportedEndpoint endpoint(Sighting seen) {
    PortId port = seen.port();
    HostId host = HostId.of("port-" + port.datapath().replace(':', '.') + "-" + port.number());
    EndpointId id = EndpointId.of(host, seen.mac().toString().replace(":", ""));
    return ReportedEndpoint.of(id, seen.mac(), seen.ips(), seen.ips());
  }

  /** Whoever an agent reports is no agentless one's any more, at once. */
  private synchronized void merge() {
    long epochNow = agents.epoch().get();
    Set<EndpointId> changed = new TreeSet<>(agents.changedSince(agentsEpoch).orElseGet(this::all));
    agentsEpoch = epochNow;
    Set<EndpointId> touched = new TreeSet<>(changed);
    for (EndpointId id : changed) {
      Optional<ReportedEndpoint> now = agents.endpoint(id);
      ReportedEndpoint before = now.isPresent() ? ofAgents.put(id, now.get()) : ofAgents.remove(id);
      for (ReportedEndpoint each : Arrays.asList(before, now.orElse(null))) {
        if (each != null) {
          each.ips().forEach(ip -> touched.addAll(byIp.getOrDefault(ip, Set.of())));
        }
      }
    }
    touched.forEach(this::show);
    changes.advance(touched);
  }

  private Set<EndpointId> all() {
    Set<EndpointId> all = new TreeSet<>(ofAgents.keySet());
    agents.reported().forEach(endpoint -> all.add(endpoint.id()));
    return all;
  }

  /** Shows one without an agent with what is its own, or not at all. */
  private void show(EndpointId id) {
    ReportedEndpoint endpoint = found.get(id);
    Set<IpAddress> ips = new HashSet<>(endpoint == null ? Set.of() : endpoint.ips());
    ips.removeIf(ip -> agents.holder(ip).isPresent());
    if (ips.isEmpty() || agents.endpoint(id).isPresent()) {
      shown.remove(id);
    } else {
      shown.put(id, endpoint.withIps(ips));
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.agentless;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.link.ReportedEndpoint;
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
  private static final Comparator<ReportedEndpoint> BY_ID =
      Comparator.comparing(ReportedEndpoint::id);

  private final ReportedEndpoints agents;
  private final EndpointLocator locator;
  private final HostSightings sightings;
  private final Attachments attachments;
  private final Topology topology;
  private final Execution execution;
  private final Epoch epoch = new Epoch();
  private final Runnable agentsListener = this::merge;
  private ScheduledExecutorService executor;
  private volatile Map<EndpointId, PortId> ports = Map.of();
  private volatile List<ReportedEndpoint> all = List.of();

  // Guarded by this:
  private List<ReportedEndpoint> agentless = List.of();
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
    return epoch;
  }

  @Override
  public Map<HostId, Long> sessions() {
    return agents.sessions();
  }

  @Override
  public List<ReportedEndpoint> reported() {
    return all;
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
    List<ReportedEndpoint> found = new ArrayList<>();
    Map<EndpointId, PortId> at = new TreeMap<>();
    for (Sighting sighting : find()) {
      ReportedEndpoint endpoint = endpoint(sighting);
      found.add(endpoint);
      at.put(endpoint.id(), sighting.port());
    }
    if (!found.equals(agentless)) {
      agentless = found;
      ports = Map.copyOf(at);
      merge();
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
    List<ReportedEndpoint> reported = agents.reported();
    List<ReportedEndpoint> merged = new ArrayList<>(reported);
    for (ReportedEndpoint endpoint : agentless) {
      Set<IpAddress> ips = new HashSet<>(endpoint.ips());
      ips.removeIf(ip -> agents.holder(ip).isPresent());
      if (!ips.isEmpty() && Collections.binarySearch(reported, endpoint, BY_ID) < 0) {
        merged.add(endpoint.withIps(ips));
      }
    }
    merged.sort(BY_ID); // Two runs in order: linear.
    all = Collections.unmodifiableList(merged);
    epoch.advance();
  }
}

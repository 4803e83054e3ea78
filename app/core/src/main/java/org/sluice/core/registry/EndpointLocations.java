// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.runtime.CoalescedTask;
import org.sluice.core.runtime.Execution;
import org.sluice.core.spi.Attachments;
import org.sluice.core.spi.HostSightings;
import org.sluice.core.spi.HostSightings.Sighting;
import org.sluice.core.spi.Mastership;
import org.sluice.core.spi.Switches;
import org.sluice.core.spi.Topology;

/**
 * Brings what the platform sees of hosts and what agents report of endpoints into the attachment
 * map. An agent's report of the MAC that has an address decides: a VM cannot draw another one's
 * traffic to itself by claiming its address. All nodes learn of each sighting, some of them late:
 * the master of the switch writes it, so that none undoes what is newer. All of it is done on a
 * thread of its own: who reports hosts, endpoints or masters must not wait for it.
 */
public final class EndpointLocations implements EndpointLocator, HostSightings.Listener {
  private static final Logger log = LoggerFactory.getLogger(EndpointLocations.class);

  private final HostSightings sightings;
  private final Switches switches;
  private final Attachments attachments;
  private final ReportedEndpoints endpoints;
  private final Topology topology;
  private final Mastership mastership;
  private final Execution execution;
  private final Runnable endpointListener =
      new CoalescedTask(command -> this.executor.execute(command), this::learnReported);
  private final Runnable masterListener =
      new CoalescedTask(command -> this.executor.execute(command), this::learnOfNewSwitches);
  private ScheduledExecutorService executor;

  /** MACs that were seen with addresses of others; what agents report next may clear them. */
  private final Set<MacAddress> contested = ConcurrentHashMap.newKeySet();

  /** By MAC: whose endpoints have it. */
  private final Map<MacAddress, Set<EndpointId>> byMac = new ConcurrentHashMap<>();

  // Guarded by this:
  private final Map<EndpointId, MacAddress> macOf = new HashMap<>();

  /** Whose endpoints changed since what reports are about was learned last. */
  private final Set<MacAddress> concerned = new HashSet<>();

  private long followedEpoch = -1;
  private long topologyEpoch = -1;

  /** Switches whose sightings this node wrote at its last evaluation. */
  private final Set<String> written = ConcurrentHashMap.newKeySet();

  public EndpointLocations(
      HostSightings sightings,
      Switches switches,
      Attachments attachments,
      ReportedEndpoints endpoints,
      Topology topology,
      Mastership mastership,
      Execution execution) {
    this.sightings = sightings;
    this.switches = switches;
    this.attachments = attachments;
    this.endpoints = endpoints;
    this.topology = topology;
    this.mastership = mastership;
    this.execution = execution;
  }

  public void start() {
    executor = execution.sequential("locations");
    sightings.addListener(this);
    endpoints.epoch().addListener(endpointListener);
    mastership.epoch().addListener(masterListener);
    later(this::learnOfNewSwitches);
  }

  public void stop() {
    mastership.epoch().removeListener(masterListener);
    endpoints.epoch().removeListener(endpointListener);
    sightings.removeListener(this);
    executor.shutdownNow();
  }

  private void later(Runnable task) {
    try {
      executor.execute(
          () -> {
            try {
              task.run();
            } catch (RuntimeException e) {
              log.error("A host's port could not be taken over; its next packet is", e);
            }
          });
    } catch (RejectedExecutionException e) {
      log.debug("Ignored a host: the component is stopping");
    }
  }

  @Override
  public Optional<PortId> locate(ReportedEndpoint endpoint) {
    for (IpAddress ip : endpoint.ips()) {
      Optional<PortId> port = attachments.locate(ip);
      if (port.isPresent()) {
        return port;
      }
    }
    return sightings.locate(endpoint.mac()).filter(port -> !topology.isInterSwitch(port));
  }

  @Override
  public void gone(Sighting sighting) {
    later(() -> forget(sighting));
  }

  private void forget(Sighting sighting) {
    contested.remove(sighting.mac());
    if (!isToWrite(sighting)) {
      return;
    }
    if (!switches.isConnected(sighting.port().datapath())) {
      return; // The switch is away: that says nothing about what is attached to it.
    }
    for (IpAddress ip : sighting.ips()) {
      if (attachments.locate(ip).equals(Optional.of(sighting.port()))) {
        attachments.forget(ip);
      }
    }
  }

  /** Without a master any node does. */
  private boolean isToWrite(Sighting sighting) {
    String datapath = sighting.port().datapath();
    return mastership.isLocal(datapath) || mastership.masterOf(datapath).isEmpty();
  }

  @Override
  public void seen(Sighting sighting) {
    later(
        () -> {
          follow();
          write(sighting);
        });
  }

  /** Brings the index of endpoints by MAC up to date, and notes whose endpoints are others. */
  private synchronized void follow() {
    long epochNow = endpoints.epoch().get();
    long topologyNow = topology.epoch().get();
    Set<EndpointId> changed =
        topologyNow == topologyEpoch // A port that was taken for a link may be an edge port.
            ? endpoints.changedSince(followedEpoch).orElseGet(this::all)
            : all();
    followedEpoch = epochNow;
    topologyEpoch = topologyNow;
    for (EndpointId id : changed) {
      Optional<MacAddress> now = endpoints.endpoint(id).map(ReportedEndpoint::mac);
      MacAddress before = now.isPresent() ? macOf.put(id, now.get()) : macOf.remove(id);
      if (before != null && !now.equals(Optional.of(before))) {
        byMac.get(before).remove(id);
        byMac.remove(before, Set.of());
      }
      now.ifPresent(
          mac -> {
            byMac.computeIfAbsent(mac, m -> new ConcurrentSkipListSet<>()).add(id);
            concerned.add(mac);
          });
    }
  }

  private synchronized Set<MacAddress> takeConcerned() {
    follow();
    Set<MacAddress> taken = new HashSet<>(concerned);
    concerned.clear();
    return taken;
  }

  private Set<EndpointId> all() {
    Set<EndpointId> all = new HashSet<>(macOf.keySet());
    endpoints.reported().forEach(endpoint -> all.add(endpoint.id()));
    return all;
  }

  private void write(Sighting sighting) {
    if (!isToWrite(sighting)) {
      return;
    }
    for (IpAddress ip : sighting.ips()) {
      boolean credible =
          endpoints.holder(ip).map(endpoint -> endpoint.mac().equals(sighting.mac())).orElse(true);
      if (credible) {
        attachments.learn(ip, sighting.port());
      } else {
        contested.add(sighting.mac());
      }
    }
    // The platform learns addresses from ARP only; the agent has them all.
    for (EndpointId id : byMac.getOrDefault(sighting.mac(), Set.of())) {
      endpoints
          .endpoint(id)
          .ifPresent(
              endpoint -> endpoint.ips().forEach(ip -> attachments.learn(ip, sighting.port())));
    }
  }

  /** What the last master of a switch may not have written. */
  private void learnOfNewSwitches() {
    Set<String> now = new HashSet<>();
    follow();
    for (Sighting sighting : sightings.all()) {
      if (isToWrite(sighting)) {
        now.add(sighting.port().datapath());
        if (!written.contains(sighting.port().datapath())) {
          write(sighting);
        }
      }
    }
    written.retainAll(now);
    written.addAll(now);
  }

  /** Other machines are no younger for a report that is not about them. */
  private void learnReported() {
    Set<MacAddress> macs = takeConcerned();
    macs.addAll(contested);
    for (MacAddress mac : macs) {
      contested.remove(mac);
      sightings.of(mac).forEach(this::write);
    }
  }
}

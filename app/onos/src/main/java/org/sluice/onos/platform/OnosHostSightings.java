// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Collectors;
import org.onosproject.net.Host;
import org.onosproject.net.HostId;
import org.onosproject.net.host.HostEvent;
import org.onosproject.net.host.HostService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.core.runtime.Execution;
import org.sluice.core.spi.HostSightings;

/**
 * Hosts as ONOS's host service learns them. A copy: ONOS reads its own from the cluster's store,
 * and who reads them here must not wait for that.
 */
final class OnosHostSightings implements HostSightings {
  private static final Logger log = LoggerFactory.getLogger(OnosHostSightings.class);

  /** What events have not reported is read so often. */
  private static final long READ_SECONDS = 60;

  private static final long RETRY_SECONDS = 2;

  private final HostService hosts;
  private final Execution execution;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private final Map<HostId, Sighting> known = new ConcurrentHashMap<>();
  private final Map<org.onlab.packet.MacAddress, Set<HostId>> byMac = new ConcurrentHashMap<>();

  /** Hosts of which an event reported while all were read. */
  private final Set<HostId> reported = ConcurrentHashMap.newKeySet();

  private ScheduledExecutorService executor;

  OnosHostSightings(HostService hosts, Execution execution) {
    this.hosts = hosts;
    this.execution = execution;
  }

  void start() {
    executor = execution.sequential("onos-hosts");
    executor.execute(this::read);
  }

  void stop() {
    executor.shutdownNow();
  }

  /** Must not block: ONOS ends listeners that do. */
  void changed(HostEvent event) {
    HostId id = event.subject().id();
    reported.add(id);
    if (event.type() == HostEvent.Type.HOST_REMOVED) {
      remove(id);
    } else {
      put(id, sighting(event.subject()));
    }
  }

  private void put(HostId id, Sighting sighting) {
    if (!sighting.equals(known.put(id, sighting))) {
      byMac.computeIfAbsent(id.mac(), mac -> ConcurrentHashMap.newKeySet()).add(id);
      listeners.forEach(listener -> listener.seen(sighting));
    }
  }

  private void remove(HostId id) {
    Sighting gone = known.remove(id);
    if (gone != null) {
      byMac.computeIfPresent(id.mac(), (mac, ids) -> ids.remove(id) && ids.isEmpty() ? null : ids);
      listeners.forEach(listener -> listener.gone(gone));
    }
  }

  private void read() {
    long nextSeconds = READ_SECONDS;
    try {
      reported.clear();
      Map<HostId, Sighting> all = new HashMap<>();
      hosts.getHosts().forEach(host -> all.put(host.id(), sighting(host)));
      Set<HostId> gone = new HashSet<>(known.keySet());
      gone.removeAll(all.keySet());
      all.keySet().removeAll(reported);
      all.forEach(this::put);
      gone.removeAll(reported);
      gone.forEach(this::remove);
    } catch (RuntimeException e) {
      nextSeconds = RETRY_SECONDS;
      log.warn("ONOS's hosts could not be read; retrying in {} s: {}", nextSeconds, e.toString());
    }
    executor.schedule(this::read, nextSeconds, SECONDS);
  }

  private static Sighting sighting(Host host) {
    Set<IpAddress> ips = host.ipAddresses().stream().map(OnosTypes::ip).collect(Collectors.toSet());
    return Sighting.of(OnosTypes.mac(host.mac()), ips, OnosTypes.port(host.location()));
  }

  @Override
  public Collection<Sighting> all() {
    return List.copyOf(known.values());
  }

  @Override
  public Collection<Sighting> of(MacAddress mac) {
    return byMac.getOrDefault(OnosTypes.mac(mac), Set.of()).stream()
        .map(known::get)
        .filter(Objects::nonNull)
        .collect(Collectors.toList());
  }

  @Override
  public void addListener(Listener listener) {
    listeners.add(listener);
  }

  @Override
  public void removeListener(Listener listener) {
    listeners.remove(listener);
  }
}

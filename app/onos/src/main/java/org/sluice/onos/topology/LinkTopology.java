// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.topology;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.onlab.util.Tools.groupedThreads;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.onosproject.cluster.ClusterService;
import org.onosproject.cluster.ControllerNode;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.Device;
import org.onosproject.net.DeviceId;
import org.onosproject.net.Link;
import org.onosproject.net.Port;
import org.onosproject.net.device.DeviceEvent;
import org.onosproject.net.device.DeviceListener;
import org.onosproject.net.device.DeviceService;
import org.onosproject.net.link.LinkListener;
import org.onosproject.net.link.LinkService;
import org.onosproject.store.serializers.KryoNamespaces;
import org.onosproject.store.service.ConsistentMap;
import org.onosproject.store.service.Serializer;
import org.onosproject.store.service.StorageException;
import org.onosproject.store.service.StorageService;
import org.onosproject.store.service.Versioned;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.core.spi.Epoch;

/** Follows links and switches, over restarts too. */
@Component(immediate = true, service = TopologyView.class)
public class LinkTopology implements TopologyView {
  private static final Logger log = LoggerFactory.getLogger(LinkTopology.class);
  private static final String STORE = "sluice-links";

  /** Discovery reports links one by one; paths are made anew once for a handful of them. */
  private static final long SETTLE_MILLIS = 20;

  @Reference DeviceService devices;
  @Reference LinkService links;
  @Reference StorageService storage;
  @Reference ClusterService cluster;
  @Reference EdgeProofs proofs;

  private final Epoch epoch = new Epoch();
  private final LinkMemory memory = new LinkMemory();
  private final Map<DeviceId, Long> availableSince = new HashMap<>();
  private final LinkListener linkListener = event -> refreshSoon();
  private final DeviceListener deviceListener = this::deviceChanged;
  private final Runnable proofListener = this::refreshSoon;

  private ScheduledExecutorService executor;
  private ConsistentMap<String, String> store;
  private Set<String> lastStored = Set.of();
  private Set<String> lastLinks = Set.of();
  private volatile ShortestPaths paths = new ShortestPaths(Set.of(), Set.of());
  private volatile Set<ConnectPoint> interSwitchPorts = Set.of();
  private volatile Map<ConnectPoint, ConnectPoint> peers = Map.of();
  private volatile Map<ConnectPoint, ConnectPoint> refused = Map.of();

  @Activate
  void activate() {
    executor =
        Executors.newSingleThreadScheduledExecutor(groupedThreads("sluice", "topology", log));
    store =
        storage
            .<String, String>consistentMapBuilder()
            .withName(STORE)
            .withSerializer(Serializer.using(KryoNamespaces.BASIC))
            .build();
    restore();
    links.addListener(linkListener);
    devices.addListener(deviceListener);
    proofs.epoch().addListener(proofListener);
    executor.execute(this::refresh);
    // The grace of remembered links ends without an event.
    executor.scheduleWithFixedDelay(this::refresh, 1, 1, SECONDS);
  }

  @Deactivate
  void deactivate() {
    proofs.epoch().removeListener(proofListener);
    links.removeListener(linkListener);
    devices.removeListener(deviceListener);
    executor.shutdownNow();
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public ShortestPaths paths() {
    return paths;
  }

  @Override
  public Set<ConnectPoint> interSwitchPorts() {
    return interSwitchPorts;
  }

  @Override
  public Map<ConnectPoint, ConnectPoint> peers() {
    return peers;
  }

  @Override
  public Map<ConnectPoint, ConnectPoint> refusedLinks() {
    return refused;
  }

  private void deviceChanged(DeviceEvent event) {
    switch (event.type()) {
      case PORT_STATS_UPDATED:
        break;
      default:
        refreshSoon();
    }
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
    long now = System.nanoTime();
    Set<DeviceId> available = new HashSet<>();
    for (Device device : devices.getAvailableDevices()) {
      available.add(device.id());
      availableSince.putIfAbsent(device.id(), now);
    }
    availableSince.keySet().retainAll(available);
    Set<ConnectPoint> edge = proofs.ports();
    Set<Link> discovered = new HashSet<>();
    Map<ConnectPoint, ConnectPoint> refusedNow = new HashMap<>();
    for (Link link : links.getActiveLinks()) {
      if (edge.contains(link.src())) {
        refusedNow.put(link.src(), link.dst());
      } else if (edge.contains(link.dst())) {
        refusedNow.put(link.dst(), link.src());
      } else if (available.contains(link.src().deviceId())
          && available.contains(link.dst().deviceId())) {
        discovered.add(link);
      }
    }
    follow(refusedNow);
    memory.forget(edge);
    Collection<Link> up = memory.merge(discovered, new DeviceEvidence(), now);
    Collection<Link> uncertain = memory.ofSwitchesAway(new DeviceEvidence());
    remember();
    Set<String> described = new TreeSet<>();
    Set<ConnectPoint> ports = new HashSet<>();
    Map<ConnectPoint, ConnectPoint> ends = new HashMap<>();
    Collection<Link> all = new ArrayList<>(uncertain);
    all.addAll(up);
    for (Link link : all) {
      ports.add(link.src());
      ports.add(link.dst());
      ends.put(link.src(), link.dst());
    }
    up.forEach(link -> described.add(link.src() + ">" + link.dst()));
    uncertain.forEach(link -> described.add(link.src() + "?" + link.dst()));
    available.forEach(device -> described.add(device.toString()));
    if (!described.equals(lastLinks)) {
      lastLinks = described;
      paths = new ShortestPaths(up, uncertain);
      interSwitchPorts = Set.copyOf(ports);
      peers = Map.copyOf(ends);
      epoch.advance();
    }
  }

  private void follow(Map<ConnectPoint, ConnectPoint> refusedNow) {
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
      for (ControllerNode node : cluster.getNodes()) {
        String text = Versioned.valueOrNull(store.get(node.id().toString()));
        if (text != null && !text.isEmpty()) {
          all.addAll(Arrays.asList(text.split("\n")));
        }
      }
      memory.restore(all);
    } catch (StorageException e) {
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
      store.put(cluster.getLocalNode().id().toString(), String.join("\n", now));
      lastStored = now;
    } catch (StorageException e) {
      log.warn("Links could not be stored for the next restart: {}", e.toString());
    }
  }

  private final class DeviceEvidence implements LinkMemory.Evidence {
    @Override
    public boolean isUp(ConnectPoint point) {
      Port port = devices.getPort(point);
      return port != null && port.isEnabled() && availableSince.containsKey(point.deviceId());
    }

    @Override
    public long availableSinceNanos(DeviceId device) {
      return Objects.requireNonNull(availableSince.get(device));
    }

    @Override
    public boolean isAway(DeviceId device) {
      return !availableSince.containsKey(device) && devices.getDevice(device) != null;
    }
  }
}

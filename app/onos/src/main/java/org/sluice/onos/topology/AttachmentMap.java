// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.topology;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.onlab.packet.IpAddress;
import org.onosproject.net.ConnectPoint;
import org.onosproject.store.serializers.KryoNamespaces;
import org.onosproject.store.service.EventuallyConsistentMap;
import org.onosproject.store.service.EventuallyConsistentMapListener;
import org.onosproject.store.service.StorageService;
import org.onosproject.store.service.WallClockTimestamp;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.sluice.core.runtime.GrowingTime;
import org.sluice.core.spi.Epoch;

/**
 * Keeps the attachment map in step over the cluster by gossip: the newest sighting wins, and a node
 * that is cut off goes on with what it knows.
 */
@Component(immediate = true, service = Attachments.class)
public class AttachmentMap implements Attachments {
  private static final String STORE = "sluice-attachments";

  @Reference StorageService storage;
  @Reference TopologyView topology;

  private final Epoch epoch = new Epoch();
  private final EventuallyConsistentMapListener<IpAddress, ConnectPoint> listener =
      event -> epoch.advance();
  private final Runnable topologyListener = this::dropInterSwitch;
  private final GrowingTime sightings = new GrowingTime(System::currentTimeMillis);
  private EventuallyConsistentMap<IpAddress, ConnectPoint> map;

  @Activate
  void activate() {
    map =
        storage
            .<IpAddress, ConnectPoint>eventuallyConsistentMapBuilder()
            .withName(STORE)
            .withSerializer(KryoNamespaces.API)
            .withTimestampProvider((ip, port) -> new WallClockTimestamp(sightings.next()))
            .build();
    map.addListener(listener);
    topology.epoch().addListener(topologyListener);
  }

  @Deactivate
  void deactivate() {
    topology.epoch().removeListener(topologyListener);
    map.removeListener(listener);
    map.destroy();
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Optional<ConnectPoint> locate(IpAddress ip) {
    return Optional.ofNullable(map.get(ip));
  }

  @Override
  public Map<IpAddress, ConnectPoint> all() {
    Map<IpAddress, ConnectPoint> copy = new HashMap<>();
    map.entrySet().forEach(entry -> copy.put(entry.getKey(), entry.getValue()));
    return copy;
  }

  @Override
  public void learn(IpAddress ip, ConnectPoint port) {
    if (port.port().isLogical() || topology.interSwitchPorts().contains(port)) {
      return;
    }
    // Reading first spares the cluster a message per packet seen.
    if (!port.equals(map.get(ip))) {
      map.put(ip, new ConnectPoint(port.deviceId(), port.port()));
    }
  }

  @Override
  public void forget(IpAddress ip) {
    map.remove(ip);
  }

  /** Before a link is discovered, what arrives over it looks as if it were attached to its port. */
  private void dropInterSwitch() {
    all()
        .forEach(
            (ip, port) -> {
              if (topology.interSwitchPorts().contains(port)) {
                map.remove(ip, port);
              }
            });
  }
}

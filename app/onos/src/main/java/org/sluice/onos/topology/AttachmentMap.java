// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.topology;

import java.util.Map;
import java.util.Optional;
import org.onlab.packet.IpAddress;
import org.onosproject.net.ConnectPoint;
import org.onosproject.store.service.StorageService;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.sluice.core.spi.Epoch;

/**
 * Keeps the attachment map in step over the cluster by gossip: the newest sighting wins, and a node
 * that is cut off goes on with what it knows.
 */
@Component(immediate = true, service = Attachments.class)
public class AttachmentMap implements Attachments {
  @Reference StorageService storage;
  @Reference TopologyView topology;

  private final Epoch epoch = new Epoch();
  private final Runnable topologyListener = this::dropInterSwitch;
  private StampedAttachments map;

  @Activate
  void activate() {
    map = new StampedAttachments(storage, System::currentTimeMillis, epoch::advance);
    topology.epoch().addListener(topologyListener);
  }

  @Deactivate
  void deactivate() {
    topology.epoch().removeListener(topologyListener);
    map.close();
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
    return map.all();
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

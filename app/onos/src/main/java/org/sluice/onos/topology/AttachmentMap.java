// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.topology;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.onlab.packet.IpAddress;
import org.onosproject.net.ConnectPoint;
import org.onosproject.store.service.StorageService;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.spi.Epoch;
import org.sluice.onos.SluiceApplication;

/**
 * Keeps the attachment map in step over the cluster by gossip: the newest sighting wins, and a node
 * that is cut off goes on with what it knows.
 */
@Component(immediate = true, service = Attachments.class)
public class AttachmentMap implements Attachments {
  private static final long SHOW_REFUSED_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** How many addresses were refused at a port, and when the last one was. */
  private static final class Refusals {
    private final long count;
    private final long lastNanos;

    Refusals(long count, long lastNanos) {
      this.count = count;
      this.lastNanos = lastNanos;
    }

    Refusals plus(Refusals one) {
      return new Refusals(count + one.count, one.lastNanos);
    }
  }

  @Reference SluiceApplication application;
  @Reference StorageService storage;
  @Reference TopologyView topology;

  private final Epoch epoch = new Epoch();
  private final Runnable topologyListener = this::dropInterSwitch;
  private final LongSupplier clockNanos;
  private final AttachmentAges ages = new AttachmentAges();
  private final Map<ConnectPoint, Refusals> refusals = new ConcurrentHashMap<>();
  private volatile Predicate<IpAddress> reported = ip -> false;
  private StampedAttachments map;

  public AttachmentMap() {
    this(System::nanoTime);
  }

  /** With another clock for ages, for tests. */
  public AttachmentMap(LongSupplier clockNanos) {
    this.clockNanos = clockNanos;
  }

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
    if (port.port().isLogical()
        || topology.interSwitchPorts().contains(port)
        || !OnosTypes.isRoutable(ip)) {
      return;
    }
    // Reading first spares the cluster a message per packet seen.
    if (!port.equals(map.get(ip))) {
      if (!reported.test(ip) && isFull(port)) {
        refusals.merge(port, new Refusals(1, clockNanos.getAsLong()), Refusals::plus);
        return;
      }
      map.put(ip, new ConnectPoint(port.deviceId(), port.port()));
    }
    ages.seen(ip, clockNanos.getAsLong());
  }

  private boolean isFull(ConnectPoint port) {
    long unreported =
        map.all().entrySet().stream()
            .filter(entry -> entry.getValue().equals(port) && !reported.test(entry.getKey()))
            .count();
    return unreported >= application.settings().get(SettingTable.ADDRESSES_PER_PORT);
  }

  @Override
  public void forget(IpAddress ip) {
    map.remove(ip);
    ages.retain(all().keySet());
  }

  @Override
  public void follow(Predicate<IpAddress> reportedNow) {
    reported = reportedNow;
  }

  @Override
  public void counted(IpAddress ip, long packets) {
    ages.counted(ip, packets, clockNanos.getAsLong());
  }

  @Override
  public long silentNanos(IpAddress ip) {
    return ages.silentNanos(ip, clockNanos.getAsLong());
  }

  @Override
  public Map<ConnectPoint, Long> refused() {
    long now = clockNanos.getAsLong();
    Map<ConnectPoint, Long> recent = new HashMap<>();
    refusals.forEach(
        (port, refusal) -> {
          if (now - refusal.lastNanos < SHOW_REFUSED_NANOS) {
            recent.put(port, refusal.count);
          }
        });
    return recent;
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

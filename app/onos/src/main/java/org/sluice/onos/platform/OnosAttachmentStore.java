// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.onlab.util.KryoNamespace;
import org.onosproject.net.ConnectPoint;
import org.onosproject.store.serializers.KryoNamespaces;
import org.onosproject.store.service.EventuallyConsistentMap;
import org.onosproject.store.service.EventuallyConsistentMapEvent;
import org.onosproject.store.service.EventuallyConsistentMapListener;
import org.onosproject.store.service.StorageService;
import org.onosproject.store.service.WallClockTimestamp;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.core.runtime.MonotonicTime;
import org.sluice.core.spi.Epoch;
import org.sluice.forwarding.spi.AttachmentStore;

/**
 * Attachments in a map that the nodes gossip about, ordered by hybrid logical time (Kulkarni et
 * al., 2014): each entry carries its stamp, and a node stamps what it writes later than all that it
 * has seen. So a node whose clock is an hour ahead undoes nothing that others find out after it has
 * written, and one whose clock is behind counts all the same.
 */
final class OnosAttachmentStore implements AttachmentStore {
  private static final String STORE = "sluice-attachments-stamped";

  private final EventuallyConsistentMap<org.onlab.packet.IpAddress, Stamped> map;
  private final MonotonicTime time;
  private final Epoch epoch = new Epoch();
  private final EventuallyConsistentMapListener<org.onlab.packet.IpAddress, Stamped> listener;

  /** A port and when it was written. */
  static final class Stamped {
    private final ConnectPoint port;
    private final long stamp;

    Stamped(ConnectPoint port, long stamp) {
      this.port = port;
      this.stamp = stamp;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Stamped
          && stamp == ((Stamped) other).stamp
          && port.equals(((Stamped) other).port);
    }

    @Override
    public int hashCode() {
      return 31 * port.hashCode() + Long.hashCode(stamp);
    }
  }

  /**
   * Joins the map of the cluster.
   *
   * @param clockMillis this node's wall clock, ms
   */
  OnosAttachmentStore(StorageService storage, LongSupplier clockMillis) {
    time = new MonotonicTime(clockMillis);
    map =
        storage
            .<org.onlab.packet.IpAddress, Stamped>eventuallyConsistentMapBuilder()
            .withName(STORE)
            .withSerializer(
                KryoNamespace.newBuilder()
                    .register(KryoNamespaces.API)
                    .nextId(KryoNamespaces.BEGIN_USER_CUSTOM_ID)
                    .register(Stamped.class))
            .withTimestampProvider((ip, written) -> new WallClockTimestamp(stampOf(written)))
            .build();
    listener =
        event -> {
          seen(event);
          epoch.advance();
        };
    map.addListener(listener);
    map.values().forEach(each -> time.seen(each.stamp));
  }

  /** A removal has no value. */
  private long stampOf(Stamped written) {
    return written == null ? time.next() : written.stamp;
  }

  /** What was removed was so after it was written. */
  private void seen(EventuallyConsistentMapEvent<org.onlab.packet.IpAddress, Stamped> event) {
    if (event.value() != null) {
      time.seen(event.value().stamp + 1);
    }
  }

  void close() {
    map.removeListener(listener);
    map.destroy();
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Optional<PortId> get(IpAddress ip) {
    return Optional.ofNullable(map.get(OnosTypes.ip(ip))).map(each -> OnosTypes.port(each.port));
  }

  @Override
  public Map<IpAddress, PortId> all() {
    Map<IpAddress, PortId> copy = new HashMap<>();
    map.entrySet()
        .forEach(
            entry -> copy.put(OnosTypes.ip(entry.getKey()), OnosTypes.port(entry.getValue().port)));
    return copy;
  }

  @Override
  public void put(IpAddress ip, PortId port) {
    Stamped before = map.get(OnosTypes.ip(ip));
    if (before != null) {
      time.seen(before.stamp);
    }
    map.put(OnosTypes.ip(ip), new Stamped(OnosTypes.port(port), time.next()));
  }

  @Override
  public void remove(IpAddress ip) {
    map.remove(OnosTypes.ip(ip));
  }

  @Override
  public void remove(IpAddress ip, PortId port) {
    Stamped stamped = map.get(OnosTypes.ip(ip));
    if (stamped != null && stamped.port.equals(OnosTypes.port(port))) {
      map.remove(OnosTypes.ip(ip), stamped);
    }
  }
}
